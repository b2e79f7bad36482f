// Whether bytes are UTF-8 text (Unicode 15, table 3-7: no overlong forms, no surrogates).
#pragma once

#include <cstddef>
#include <string_view>

namespace headroom::formats {

// The position of the first byte that is not part of well-formed text, or npos. Control characters
// other than tab, newline and carriage return are not text.
std::size_t find_bad_text(std::string_view text);

}  // namespace headroom::formats
