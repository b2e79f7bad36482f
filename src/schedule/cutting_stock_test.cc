#include "schedule/cutting_stock.h"

#include <gtest/gtest.h>

namespace headroom::schedule {
namespace {

TEST(SizePrices, AHalfCostsHalfAGpu) { EXPECT_NEAR(size_prices({{500, 10}})[0], 0.5, 1e-9); }

TEST(SizePrices, ASizeThatLeavesAUselessRestPaysForIt) {
  // Shares of 600 only: one a GPU, so each costs a whole one.
  EXPECT_NEAR(size_prices({{600, 10}})[0], 1.0, 1e-9);
}

TEST(SizePrices, WhoFillsTheRestIsFreeWhileThereIsRestToFill) {
  // 10 shares of 600 leave 10 rests of 400; 5 shares of 400 use half of them.
  const std::vector<double> prices = size_prices({{600, 10}, {400, 5}});
  EXPECT_NEAR(prices[0], 1.0, 1e-9);
  EXPECT_NEAR(prices[1], 0.0, 1e-9);
}

TEST(SizePrices, PricesPayForThePackingExactly) {
  // The prices of the demand add up to the GPUs of the best packing: 4 of 810 + 190, 3 of 470 twice
  // and 1 of a whole one.
  const std::vector<SizeDemand> demand = {{1000, 1}, {810, 4}, {470, 6}, {190, 4}};
  const std::vector<double> prices = size_prices(demand);
  double paid = 0;
  for (std::size_t i = 0; i < demand.size(); ++i) paid += demand[i].devices * prices[i];
  EXPECT_NEAR(paid, 8.0, 1e-6);
}

TEST(BestFillings, UseTheMostValuableShares) {
  const std::vector<double> best = best_fillings({{500, 1}, {300, 1}}, {0.5, 0.35});
  EXPECT_DOUBLE_EQ(best[299], 0.0);
  EXPECT_DOUBLE_EQ(best[300], 0.35);
  EXPECT_DOUBLE_EQ(best[600], 0.7);
  EXPECT_DOUBLE_EQ(best[1000], 1.05);
}

}  // namespace
}  // namespace headroom::schedule
