// What `headroom pack` was asked to do, checked: from the words of the command line to a grid of
// runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/pack_grid.h"

namespace headroom::cli {

struct PackOptions {
  std::string nodes;
  std::vector<std::string> tasks;
  std::vector<std::string> placements;  // empty: all
  std::string seeds = "42-51";
  double arrive = 1.3;
  std::int64_t threads = 0;  // 0: one a core
  std::string output;        // table, wide, json, csv; empty: table on a terminal, else wide
  std::string report;
  std::string bounds;
  bool lenient = false;
};

// "42-51" or "1,3,7-9": whole numbers, none twice, at most 10,000.
base::Result<std::vector<std::uint64_t>> parse_seeds(const std::string& text);

// Reads the files and checks everything. Bad rows that a lenient reader left out are described in
// `warnings`, a line each.
base::Result<Grid> read_grid(const PackOptions& options, std::vector<std::string>& warnings);

}  // namespace headroom::cli
