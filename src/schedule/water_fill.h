// water_fill: divides an amount among claims by weight, nobody getting more than it needs.
//
// Rule     highest priority first; inside a priority every claim that is not yet satisfied gets the
//          same amount per weight. What a satisfied claim leaves goes to the others. Claims of
//          weight 0 get nothing.
// Whole    numbers only: what does not divide goes one by one to the largest remainders, ties to
//          the first claim. The sum given is min(amount, sum of needs of claims with a weight).
// Cost     O(n log n).
// Source   progressive filling; the order by priority bucket is common practice in GPU queues.
#pragma once

#include <cstdint>
#include <vector>

namespace headroom::schedule {

struct Claim {
  std::int64_t need = 0;      // >= 0
  std::int64_t weight = 0;    // >= 0, below 2^31
  std::int64_t priority = 0;  // higher first
};

// One amount for each claim. `amount` >= 0.
std::vector<std::int64_t> water_fill(std::int64_t amount, const std::vector<Claim>& claims);

// Divides `amount` in proportion to `parts` (largest remainder, ties to the first), whatever is
// needed. Nothing is given when all parts are 0.
std::vector<std::int64_t> in_proportion(std::int64_t amount,
                                        const std::vector<std::int64_t>& parts);

}  // namespace headroom::schedule
