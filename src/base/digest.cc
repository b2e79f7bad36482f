#include "base/digest.h"

namespace headroom::base {

std::string to_hex(std::uint64_t digest) {
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, digest >>= 4) {
    text[static_cast<std::size_t>(i)] = "0123456789abcdef"[digest & 15];
  }
  return text;
}

}  // namespace headroom::base
