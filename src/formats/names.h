// Patterns of node names and ranges of numbers.
//
//   h[001-032]         h001, h002, … h032 (the width of the first number is kept)
//   r[1-2]n[01-03,07]  several brackets: all combinations, the last changes fastest
//   a1,b[1-2]          a list
//   42-51              a range: 42, 43, … 51
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::formats {

constexpr std::size_t kMostNames = 1'000'000;

// The names, in the order written. Errors: brackets that do not match, an empty name, a range that
// runs backwards, more than kMostNames.
base::Result<std::vector<std::string>> expand_names(std::string_view pattern);

struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// 'A-B' with 0 <= A <= B, or 'A' alone.
base::Result<Range> parse_range(std::string_view text);

}  // namespace headroom::formats
