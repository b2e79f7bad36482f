#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace headroom::base {
namespace {

// From an implementation of the two papers' pseudo-code in Python, itself checked against the
// published vectors (splitmix64 of 1234567; xoshiro256** from the state 1, 2, 3, 4).
TEST(Rng, DrawsThePublishedSequence) {
  Rng rng(42);
  EXPECT_EQ(rng.next(), 1546998764402558742u);
  EXPECT_EQ(rng.next(), 6990951692964543102u);
  EXPECT_EQ(rng.next(), 12544586762248559009u);
  EXPECT_EQ(rng.next(), 17057574109182124193u);
}

TEST(Rng, BelowIsUniform) {
  Rng rng(1);
  std::vector<int> seen(6);
  for (int i = 0; i < 60'000; ++i) ++seen[rng.below(6)];
  for (int count : seen) EXPECT_NEAR(count, 10'000, 500);  // more than five standard deviations
}

TEST(Rng, BetweenReachesBothEndsAndTheWholeRange) {
  Rng rng(2);
  bool low = false, high = false;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t draw = rng.between(-1, 1);
    ASSERT_TRUE(draw >= -1 && draw <= 1);
    low = low || draw == -1;
    high = high || draw == 1;
  }
  EXPECT_TRUE(low && high);
  using Limits = std::numeric_limits<std::int64_t>;
  EXPECT_NE(rng.between(Limits::min(), Limits::max()), rng.between(Limits::min(), Limits::max()));
}

TEST(Rng, ShuffleKeepsEveryItemAndDependsOnTheSeedAlone) {
  const std::vector<int> sorted = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<int> one = sorted, same = sorted, other = sorted;
  Rng(7).shuffle(one);
  Rng(7).shuffle(same);
  Rng(8).shuffle(other);
  EXPECT_EQ(one, same);
  EXPECT_NE(one, other);
  std::sort(one.begin(), one.end());
  EXPECT_EQ(one, sorted);
}

TEST(RngDeathTest, AnEmptyRangeStopsTheProgram) {
  EXPECT_DEATH(Rng(1).below(0), "a rule of the program was broken: bound > 0");
}

}  // namespace
}  // namespace headroom::base
