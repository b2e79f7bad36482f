// The outcome of a grid of packing runs: the runs themselves, and what they say over the seeds. The
// table, the documents and the report are all made from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/pack_grid.h"
#include "cli/pack_statistics.h"

namespace headroom::cli {

// The points at which the published tables give their figures: arrived, in % of all GPUs.
constexpr std::array<int, 11> kPoints = {50, 60, 70, 80, 85, 90, 95, 100, 110, 120, 130};

struct PointStatistics {
  Statistics allocated;      // % of all GPU milli
  Statistics fragment;       // % of all GPU milli
  Statistics fragment_rate;  // % of the idle GPU milli
};

// One task list under one placement.
struct PackRow {
  std::string tasks;
  std::string placement;
  std::map<int, PointStatistics> at;         // by % arrived; every one that a run has reached
  std::vector<simulate::FillUpResult> runs;  // by seed
};

struct PackOutcome {
  std::string cluster;  // name, for the title
  std::size_t nodes = 0;
  std::int64_t gpus = 0;  // whole ones
  double arrive = 0;
  std::vector<std::uint64_t> seeds;
  std::vector<std::string> lists;
  std::vector<std::string> placements;
  std::vector<PackRow> rows;  // lists outermost, as in the grid
  double seconds = 0;

  const PackRow& row(std::size_t list, std::size_t placement) const {
    return rows[list * placements.size() + placement];
  }
  // The points of kPoints that were reached, by any run.
  std::vector<int> points() const;
  // Where placements are compared: 100, or the highest percentage reached when that is less.
  int main_point() const;
};

PackOutcome summarise(const Grid& grid, const std::vector<simulate::FillUpResult>& runs,
                      double seconds);

// "42-51", "1,3,5-7"
std::string seeds_text(const std::vector<std::uint64_t>& seeds);

// The answer in a sentence: which placement wastes least and what that is worth, by mean allocation
// at main_point(). Over several lists: their mean.
std::string headline(const PackOutcome& outcome);

}  // namespace headroom::cli
