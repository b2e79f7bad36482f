#include "formats/message.h"

#include <fmt/format.h>

namespace headroom::formats {

std::string shown(std::string_view value) {
  constexpr std::size_t kLongest = 60;
  if (value.empty()) return "(empty)";
  std::string text;
  for (char c : value.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return value.size() > kLongest ? text + "..." : text;
}

std::string one_of(const std::vector<std::string>& choices) {
  if (choices.empty()) return "(nothing)";
  std::string text = choices.front();
  for (std::size_t i = 1; i < choices.size(); ++i) {
    text += (i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  return text;
}

}  // namespace headroom::formats
