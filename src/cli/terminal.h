// What the program may assume about the place its text goes to.
#pragma once

#include <cstddef>

namespace headroom::cli {

struct Terminal {
  bool is_terminal = false;
  std::size_t width = 80;  // columns
  bool colour = false;     // a terminal, not a dumb one, and NO_COLOR is not set (no-color.org)
};

// `descriptor`: 1 for standard output, 2 for standard error. The width is that of the terminal, or
// COLUMNS where it is not known.
Terminal inspect_terminal(int descriptor);

}  // namespace headroom::cli
