#include "simulate/draws.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headroom::simulate {
namespace {

TEST(Draws, NormalNumbersHaveTheirMomentsAndQuantiles) {
  base::Rng rng(1);
  constexpr int kDraws = 200'000;
  std::vector<double> drawn;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = static_cast<double>(normal(rng)) / kNormalUnit;
    drawn.push_back(z);
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.01);
  std::sort(drawn.begin(), drawn.end());
  const auto quantile = [&](double p) {
    return drawn[static_cast<std::size_t>(p * static_cast<double>(kDraws))];
  };
  EXPECT_NEAR(quantile(0.16), -0.994, 0.02);
  EXPECT_NEAR(quantile(0.9), 1.2816, 0.02);
  EXPECT_NEAR(quantile(0.99), 2.3263, 0.05);
}

TEST(Draws, LogNormalIsTheExponential) {
  for (const double z : {-6.0, -2.5, -0.001, 0.0, 0.3, 1.0, 2.75, 6.0}) {
    const double expected = 1e6 * std::exp(1.6 * z);
    const std::int64_t found = log_normal(1'000'000, 1600, std::llround(z * kNormalUnit));
    EXPECT_NEAR(static_cast<double>(found), expected, 1 + expected * 1e-4) << z;
  }
}

TEST(Draws, WeightsSayHowOften) {
  base::Rng rng(3);
  std::array<int, 4> count{};
  for (int i = 0; i < 60'000; ++i) ++count[weighted(rng, {10, 0, 20, 30})];
  EXPECT_NEAR(count[0], 10'000, 400);
  EXPECT_EQ(count[1], 0);
  EXPECT_NEAR(count[2], 20'000, 400);
  EXPECT_NEAR(count[3], 30'000, 400);
}

// Against the inverse transform in floating point, of the same draws.
TEST(Draws, ExponentialIsTheInverseTransform) {
  base::Rng rng(7);
  base::Rng same(7);
  const base::Duration mean{30LL * 86'400'000};
  for (int i = 0; i < 10'000; ++i) {
    const auto drawn = static_cast<double>(exponential(rng, mean).value());
    const double u = (static_cast<double>(same.next()) + 1) / 18446744073709551616.0;
    EXPECT_NEAR(drawn, std::max(1.0, -std::log(u) * static_cast<double>(mean.value())), 64);
  }
}

TEST(Draws, MeanAndSpreadAreThoseOfTheDistribution) {
  base::Rng rng(1);
  const base::Duration mean{4 * 3'600'000};
  constexpr int kDraws = 200'000;
  double sum = 0;
  int above = 0;
  for (int i = 0; i < kDraws; ++i) {
    const base::Duration drawn = exponential(rng, mean);
    sum += static_cast<double>(drawn.value());
    above += drawn > mean ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws / static_cast<double>(mean.value()), 1, 0.01);
  EXPECT_NEAR(static_cast<double>(above) / kDraws, std::exp(-1.0), 0.005);
}

}  // namespace
}  // namespace headroom::simulate
