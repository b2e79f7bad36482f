// How messages show what was found in a file: printable, short, on one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom::formats {

// The value with control characters and bytes beyond ASCII as \xNN, cut after 60 characters;
// `(empty)` when there is nothing to show.
std::string shown(std::string_view value);

// "a, b or c"; "(nothing)" for none.
std::string one_of(const std::vector<std::string>& choices);

}  // namespace headroom::formats
