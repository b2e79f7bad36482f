#include "simulate/draws.h"

#include <array>
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

}  // namespace headroom::simulate
