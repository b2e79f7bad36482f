// Draws: random numbers of the shapes that workloads have, in whole numbers, so that a seed gives
// the same workload on every machine (the exp and log of C libraries differ in the last digit).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "base/rng.h"

namespace headroom::simulate {

constexpr std::int64_t kNormalUnit = 65536;

// A normal number of mean 0 and variance 1, in units of 1/65536: twelve uniform numbers of 0..1
// less six (Irwin-Hall; its quantiles are those of a normal to 1 % up to two and a half
// deviations).
std::int64_t normal(base::Rng& rng);

// median * e^(sigma z): log-normal when z is normal. `sigma` in thousandths, `z` in units of
// kNormalUnit; exact to 4 digits.
std::int64_t log_normal(std::int64_t median, std::int64_t sigma, std::int64_t z);

// Exponential with this mean (0 up to 100 years), at least 1 ms; exact to 2^-31 of the mean.
base::Duration exponential(base::Rng& rng, base::Duration mean);

// An index, as often as its weight says. The weights are not negative, and not all 0. O(weights).
std::size_t weighted(base::Rng& rng, const std::vector<std::int64_t>& weights);

}  // namespace headroom::simulate
