// Text for people: its width, and how it is cut, broken and made safe to show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headroom::cli {

// Number of code points.
std::size_t display_width(std::string_view text);

// Control characters and bytes that are no UTF-8 become "?", so that a file name cannot write to
// the terminal behind our back.
std::string printable(std::string_view text);

// The first `width` code points; the last is "…" when something was cut.
std::string shortened(std::string_view text, std::size_t width);

// Broken at spaces into lines of at most `width` code points (a longer word has its own line), each
// but the first after `indent` spaces. Line breaks in the text stay. No newline at the end. A width
// of 0 means no limit.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

// "6,212"
std::string grouped(std::int64_t number);

}  // namespace headroom::cli
