#include "cli/pack_statistics.h"

#include <cmath>

namespace headroom::cli {
namespace {

TEST(PackStatistics, MedianOfAnOddCountIsTheMiddle) {
  EXPECT_DOUBLE_EQ(statistics_of({5, 1, 3}).median, 3);
}

TEST(PackStatistics, MedianOfAnEvenCountIsTheMeanOfTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(statistics_of({10, 1, 4, 2}).median, 3);
}

TEST(PackStatistics, DeviationIsThatOfASample) {
  // Sum of squares about the mean 5 is 32; 32 / (8 - 1).
  const Statistics result = statistics_of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(result.mean, 5);
  ASSERT_TRUE(result.sd);
  EXPECT_DOUBLE_EQ(*result.sd, std::sqrt(32.0 / 7.0));
  EXPECT_DOUBLE_EQ(result.min, 2);
  EXPECT_DOUBLE_EQ(result.max, 9);
}

TEST(PackStatistics, OneMeasurementHasNoDeviation) {
  const Statistics result = statistics_of({7});
  EXPECT_FALSE(result.sd);
  EXPECT_DOUBLE_EQ(result.median, 7);
  EXPECT_DOUBLE_EQ(result.quartile1, 7);
  EXPECT_DOUBLE_EQ(result.quartile3, 7);
}

// numpy.percentile([1, 2, 3, 4], [25, 75]) = [1.75, 3.25]
TEST(PackStatistics, QuartilesInterpolateAsNumpyDoes) {
  const Statistics result = statistics_of({4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(result.quartile1, 1.75);
  EXPECT_DOUBLE_EQ(result.quartile3, 3.25);
}

TEST(PackStatistics, OrderOfMeasurementsDoesNotMatter) {
  const Statistics one = statistics_of({0.1, 0.2, 0.3, 1e9});
  const Statistics two = statistics_of({1e9, 0.3, 0.1, 0.2});
  EXPECT_EQ(one.mean, two.mean);
  EXPECT_EQ(one.sd, two.sd);
}

// The published default list, FGD at 130 % (facts/fragmentation.md 2.7, "per seed"): median 95.40,
// mean 95.39, sample sd 0.08, min-max 95.27-95.49.
TEST(PackStatistics, AgreesWithThePublishedTable) {
  const Statistics result =
      statistics_of({95.29, 95.32, 95.44, 95.48, 95.49, 95.27, 95.37, 95.47, 95.35, 95.43});
  EXPECT_NEAR(result.median, 95.40, 0.0051);
  EXPECT_NEAR(result.mean, 95.39, 0.0051);
  EXPECT_NEAR(result.sd.value_or(0), 0.08, 0.0051);
}

}  // namespace
}  // namespace headroom::cli
