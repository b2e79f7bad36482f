#include "simulate/fixed_log.h"

#include <array>
#include <bit>

#include "base/assert.h"

namespace headroom::simulate {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
constexpr int kRootBits = 30;

// 2^(1/2), 2^(1/4), …, times 2^30: any power of two with sixteen binary places is a product of some
// of them.
constexpr std::array<std::int64_t, kPowerBits> kRoots = {
    1518500250, 1276901417, 1170923762, 1121280436, 1097253708, 1085434106, 1079572136, 1076653033,
    1075196443, 1074468888, 1074105294, 1073923544, 1073832680, 1073787251, 1073764537, 1073753181};

}  // namespace

// One bit of the fraction for each squaring of the mantissa (Knuth, The Art of Computer
// Programming, volume 1, section 1.2.2).
std::uint64_t log2_fixed(std::uint64_t value) {
  HEADROOM_ASSERT(value > 0);
  const int zeros = std::countl_zero(value);
  std::uint64_t mantissa = value << zeros;  // 1 <= mantissa / 2^63 < 2
  std::uint64_t result = static_cast<std::uint64_t>(63 - zeros);
  for (int bit = 0; bit < kLogBits; ++bit) {
    const Wide square = Wide{mantissa} * mantissa >> 63;
    const bool carry = square >= Wide{kTop} * 2;
    mantissa = static_cast<std::uint64_t>(carry ? square >> 1 : square);
    result = result << 1 | (carry ? 1 : 0);
  }
  return result;
}

std::int64_t times_power(std::int64_t value, std::int64_t exponent) {
  const std::int64_t whole = exponent >> kPowerBits;
  HEADROOM_ASSERT(value >= 0 && whole >= -60 && whole < 62);
  std::int64_t power = std::int64_t{1} << kRootBits;  // 2^(exponent - whole)
  for (int i = 0; i < kPowerBits; ++i) {
    if ((exponent >> (kPowerBits - 1 - i) & 1) != 0) {
      power = power * kRoots[static_cast<std::size_t>(i)] >> kRootBits;
    }
  }
  const Wide product = Wide{static_cast<std::uint64_t>(value)} * static_cast<std::uint64_t>(power);
  const std::int64_t right = kRootBits - whole;
  const Wide result = right >= 0 ? product >> right : product << -right;
  HEADROOM_ASSERT(result < Wide{1} << 62);
  return static_cast<std::int64_t>(result);
}

}  // namespace headroom::simulate
