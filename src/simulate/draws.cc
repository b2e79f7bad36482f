#include "simulate/draws.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "base/assert.h"

namespace headroom::simulate {

namespace {

constexpr int kBits = 16;                 // of a normal number, and of an exponent
constexpr int kRootBits = 30;             // of the roots below
constexpr std::int64_t kLog2OfE = 94548;  // log2(e) * 2^16

// 2^(1/2), 2^(1/4), …, times 2^30: any power of two of sixteen bits is a product of some of them.
constexpr std::array<std::int64_t, kBits> kRoots = {
    1518500250, 1276901417, 1170923762, 1121280436, 1097253708, 1085434106, 1079572136, 1076653033,
    1075196443, 1074468888, 1074105294, 1073923544, 1073832680, 1073787251, 1073764537, 1073753181};

__extension__ using Wide = unsigned __int128;

constexpr int kFraction = 32;                  // bits behind the point
constexpr std::uint64_t kLn2 = 2'977'044'472;  // ln 2 x 2^32
constexpr std::uint64_t kTop = std::uint64_t{1} << 63;

// log2(value) x 2^32, rounded down; value > 0. One bit of the fraction for each squaring of the
// mantissa (Knuth, The Art of Computer Programming, volume 1, section 1.2.2).
std::uint64_t log2_fixed(std::uint64_t value) {
  const int zeros = std::countl_zero(value);
  std::uint64_t mantissa = value << zeros;  // 1 <= mantissa / 2^63 < 2
  std::uint64_t result = static_cast<std::uint64_t>(63 - zeros);
  for (int bit = 0; bit < kFraction; ++bit) {
    const Wide square = Wide{mantissa} * mantissa >> 63;
    const bool carry = square >= Wide{kTop} * 2;
    mantissa = static_cast<std::uint64_t>(carry ? square >> 1 : square);
    result = result << 1 | (carry ? 1 : 0);
  }
  return result;
}

}  // namespace

std::int64_t normal(base::Rng& rng) {
  std::int64_t sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<std::int64_t>(rng.next() >> 32);
  return (sum - 6 * (std::int64_t{1} << 32)) >> (32 - kBits);
}

std::int64_t log_normal(std::int64_t median, std::int64_t sigma, std::int64_t z) {
  const std::int64_t exponent = (sigma * z / 1000 * kLog2OfE) >> kBits;  // of two, in 1/65536
  const std::int64_t whole = exponent >> kBits;
  std::int64_t power = std::int64_t{1} << kRootBits;  // 2^(the rest of it)
  for (int i = 0; i < kBits; ++i) {
    if ((exponent >> (kBits - 1 - i) & 1) != 0) {
      power = power * kRoots[static_cast<std::size_t>(i)] >> kRootBits;
    }
  }
  HEADROOM_ASSERT(median >= 0 && median >> 31 == 0 && whole >= -kRootBits && whole <= kRootBits);
  return (median * power) >> (kRootBits - whole);
}

std::size_t weighted(base::Rng& rng, const std::vector<std::int64_t>& weights) {
  const std::int64_t sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  auto left = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(sum)));
  std::size_t at = 0;
  while (left >= weights[at]) left -= weights[at++];
  return at;
}

// -ln(u) x mean with u = (draw + 1) / 2^64, by inverse transform.
base::Duration exponential(base::Rng& rng, base::Duration mean) {
  const std::uint64_t draw = rng.next();
  const std::uint64_t halvings =
      draw == ~std::uint64_t{0} ? 0 : (std::uint64_t{64} << kFraction) - log2_fixed(draw + 1);
  const Wide scaled = Wide{static_cast<std::uint64_t>(mean.value())} * halvings >> kFraction;
  const auto drawn = static_cast<std::int64_t>(scaled * kLn2 >> kFraction);
  return base::Duration{std::max<std::int64_t>(drawn, 1)};
}

}  // namespace headroom::simulate
