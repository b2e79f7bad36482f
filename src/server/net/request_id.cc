#include "server/net/request_id.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/assert.h"

namespace headroom::server::net {

namespace {

constexpr std::size_t kLongest = 64;

bool is_well_formed(std::string_view id) {
  return !id.empty() && id.size() <= kLongest && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  const auto got = getrandom(&number, sizeof number, 0);
  HEADROOM_ASSERT(got == sizeof number);
  return number;
}

}  // namespace

std::string request_id(std::string_view wanted) {
  if (is_well_formed(wanted)) return std::string(wanted);
  static const std::uint64_t process = random_number();
  static std::atomic<std::uint64_t> count{0};
  return fmt::format("{:012x}-{}", process >> 16, ++count);
}

}  // namespace headroom::server::net
