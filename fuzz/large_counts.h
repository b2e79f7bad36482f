// Whether a text has a number of five to seven digits: as a count of tasks or nodes it is allowed,
// but makes a run slow and says nothing that a smaller one does not.
#pragma once

#include <string>

namespace headroom::fuzz {

inline bool has_large_count(const std::string& text) {
  std::size_t digits = 0;
  for (char c : text + ' ') {
    if (c >= '0' && c <= '9') {
      ++digits;
    } else {
      if (digits >= 5 && digits <= 7) return true;
      digits = 0;
    }
  }
  return false;
}

}  // namespace headroom::fuzz
