// What the readers of row files (CSV) share: how strict they are, and what they hand back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headroom::formats {

// How strict a reader of rows is. A strict reader stops at the first bad row and names its file,
// line and column; a lenient one skips and counts it.
struct Strictness {
  bool lenient = false;
};

template <class T>
struct Rows {
  T value;
  std::int64_t skipped = 0;               // bad rows left out (lenient only)
  std::vector<std::string> first_errors;  // of the first few of them
};

// How many messages a lenient reader keeps.
constexpr std::size_t kFirstErrors = 5;

}  // namespace headroom::formats
