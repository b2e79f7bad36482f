// The verb `pack`: fills a cluster with tasks and compares placements (docs/cli.md). Everything it
// touches besides its files is passed in, so that a test can run it whole.
#pragma once

#include <cstdio>

#include "cli/pack_grid.h"
#include "cli/pack_input.h"
#include "cli/terminal.h"

namespace headroom::cli {

struct PackSurroundings {
  RunOne run;  // simulate::fill_up
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  Terminal out_terminal;
  Terminal err_terminal;
};

// Returns the exit code. On an error: one line on `err`, nothing on `out`.
int run_pack(const PackOptions& options, const PackSurroundings& surroundings);

}  // namespace headroom::cli
