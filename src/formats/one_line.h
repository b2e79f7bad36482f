// Texts that can stand in a list, a log or a terminal.
#pragma once

#include <string_view>

namespace headroom::formats {

// No control characters.
constexpr bool is_one_line(std::string_view value) {
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return false;
  }
  return true;
}

}  // namespace headroom::formats
