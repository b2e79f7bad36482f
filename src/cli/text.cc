#include "cli/text.h"

#include <algorithm>

namespace headroom::cli {

namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Length of the valid UTF-8 sequence at `at`, or 0.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  std::size_t length = 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) length = 2;
  if (first >= 0xe0 && first < 0xf0) length = 3;
  if (first >= 0xf0 && first < 0xf5) length = 4;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[at + i])) return 0;
  }
  return length;
}

// U+0080..U+009F are control characters too (C2 80..C2 9F).
bool is_control(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0;
}

// One line of the text, broken.
void wrap_line(std::string_view line, std::size_t width, std::size_t indent, std::string& result) {
  std::size_t used = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const std::size_t length = display_width(word);
    if (used > 0 && width > 0 && used + 1 + length > width) {
      result += '\n';
      result.append(indent, ' ');
      used = indent;
    } else if (at > 0) {
      result += ' ';
      ++used;
    }
    result += word;
    used += length;
    at = end + 1;
  }
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const std::string_view sequence = text.substr(at, std::max<std::size_t>(length, 1));
    if (length == 0 || is_control(sequence)) {
      result += '?';
    } else {
      result += sequence;
    }
    at += sequence.size();
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t end = 0;
  std::size_t points = 0;
  for (; end < text.size(); ++end) {
    if (!continues(text[end]) && ++points == width) break;
  }
  std::string result(text.substr(0, end));
  result += "…";
  return result;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (at > 0) result += '\n';
    if (at > 0 && end > at) result.append(indent, ' ');
    wrap_line(text.substr(at, end - at), width, indent, result);
    at = end + 1;
  }
  return result;
}

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

}  // namespace headroom::cli
