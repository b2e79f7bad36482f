#include "schedule/water_fill.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/rng.h"

namespace headroom::schedule {
namespace {

using Amounts = std::vector<std::int64_t>;

TEST(WaterFill, SharesByWeight) {
  EXPECT_EQ(water_fill(90, {{100, 1, 0}, {100, 2, 0}}), (Amounts{30, 60}));
}

TEST(WaterFill, WhatOneDoesNotNeedGoesToTheOthers) {
  EXPECT_EQ(water_fill(90, {{10, 1, 0}, {100, 1, 0}, {100, 1, 0}}), (Amounts{10, 40, 40}));
}

TEST(WaterFill, HigherPriorityFirst) {
  EXPECT_EQ(water_fill(50, {{40, 5, 0}, {30, 1, 7}}), (Amounts{20, 30}));
}

TEST(WaterFill, ZeroWeightGetsNothing) {
  EXPECT_EQ(water_fill(50, {{40, 0, 0}, {30, 1, 0}}), (Amounts{0, 30}));
}

TEST(WaterFill, RemaindersGoToTheFirst) {
  EXPECT_EQ(water_fill(10, {{9, 1, 0}, {9, 1, 0}, {9, 1, 0}}), (Amounts{4, 3, 3}));
}

TEST(InProportion, LargestRemainder) {
  EXPECT_EQ(in_proportion(10, {1, 1, 4}), (Amounts{2, 2, 6}));  // 1.67 1.67 6.67
  EXPECT_EQ(in_proportion(10, {0, 0}), (Amounts{0, 0}));
}

// On random claims: nobody gets more than it needs, all is given while somebody needs it, and of
// two claims of one priority neither could say that the other got more per weight while it lacked
// some.
TEST(WaterFill, IsFairOnRandomClaims) {
  base::Rng rng(3);
  for (int round = 0; round < 5000; ++round) {
    std::vector<Claim> claims(1 + rng.below(8));
    std::int64_t useful = 0;
    for (Claim& claim : claims) {
      claim = {rng.between(0, 200), rng.between(0, 5), rng.between(0, 2)};
      if (claim.weight > 0) useful += claim.need;
    }
    const std::int64_t amount = rng.between(0, 600);
    const Amounts given = water_fill(amount, claims);
    EXPECT_EQ(std::accumulate(given.begin(), given.end(), std::int64_t{0}),
              std::min(amount, useful));
    for (std::size_t i = 0; i < claims.size(); ++i) {
      ASSERT_LE(given[i], claims[i].need);
      if (given[i] == claims[i].need || claims[i].weight == 0) continue;
      for (std::size_t j = 0; j < claims.size(); ++j) {
        if (claims[j].priority < claims[i].priority) {
          EXPECT_EQ(given[j], 0);
        }
        if (claims[j].priority != claims[i].priority) continue;
        // Within one unit, which may be a remainder.
        EXPECT_LE((given[j] - 1) * claims[i].weight, (given[i] + 1) * claims[j].weight);
      }
    }
  }
}

}  // namespace
}  // namespace headroom::schedule
