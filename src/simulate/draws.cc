#include "simulate/draws.h"

#include <algorithm>
#include <numeric>

#include "simulate/fixed_log.h"

namespace headroom::simulate {

namespace {

constexpr int kBits = 16;                 // of a normal number
constexpr std::int64_t kLog2OfE = 94548;  // log2(e) * 2^16

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kLn2 = 2'977'044'472;  // ln 2 x 2^32

}  // namespace

std::int64_t normal(base::Rng& rng) {
  std::int64_t sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<std::int64_t>(rng.next() >> 32);
  return (sum - 6 * (std::int64_t{1} << 32)) >> (32 - kBits);
}

std::int64_t log_normal(std::int64_t median, std::int64_t sigma, std::int64_t z) {
  return times_power(median, (sigma * z / 1000 * kLog2OfE) >> kBits);
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
      draw == ~std::uint64_t{0} ? 0 : (std::uint64_t{64} << kLogBits) - log2_fixed(draw + 1);
  const Wide scaled = Wide{static_cast<std::uint64_t>(mean.value())} * halvings >> kLogBits;
  const auto drawn = static_cast<std::int64_t>(scaled * kLn2 >> kLogBits);
  return base::Duration{std::max<std::int64_t>(drawn, 1)};
}

}  // namespace headroom::simulate
