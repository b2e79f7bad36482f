#include "schedule/usage.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headroom::schedule {
namespace {

constexpr base::Duration kHour{3'600'000};
constexpr base::Duration kWeek = kHour * 168;

TEST(Usage, HalvesEveryHalfLife) {
  EXPECT_EQ(decayed(1'000'000, base::Duration{0}, kWeek), 1'000'000);
  EXPECT_EQ(decayed(1'000'000, kWeek, kWeek), 500'000);
  EXPECT_EQ(decayed(1'000'000, kWeek * 3, kWeek), 125'000);
  EXPECT_EQ(decayed(1'000'000, kWeek * 100, kWeek), 0);
}

// Between the steps of the table the error stays below 10^-7.
TEST(Usage, FollowsThePowerOfTwo) {
  constexpr std::int64_t kValue = 1'000'000'000'000;
  for (std::int64_t hours = 1; hours < 500; hours += 7) {
    const double exact = std::exp2(-static_cast<double>(hours) / 168.0) * kValue;
    EXPECT_NEAR(static_cast<double>(decayed(kValue, kHour * hours, kWeek)), exact, exact * 1e-7);
  }
}

// Holding the same for ever comes to held x half-life / ln 2, and never more.
TEST(Usage, IntegralOfHolding) {
  const double limit = 1000.0 * static_cast<double>(kWeek.value()) / std::log(2.0);
  const auto half = static_cast<double>(decayed_integral(1000, kWeek, kWeek));
  const auto all = static_cast<double>(decayed_integral(1000, kWeek * 60, kWeek));
  EXPECT_NEAR(half, limit / 2, limit * 1e-4);
  EXPECT_NEAR(all, limit, limit * 1e-4);
}

// The sum hardly depends on how often it was brought up to date.
TEST(Usage, UpdatesInBetweenDoNotMatter) {
  Usage once;
  Usage often;
  for (std::int64_t hour = 1; hour <= 100; ++hour) {
    often.update(base::Time{kHour.value() * hour}, 8000, kWeek);
  }
  once.update(base::Time{kHour.value() * 100}, 8000, kWeek);
  const base::Time then{kHour.value() * 200};
  const auto a = static_cast<double>(once.at(then, 0, kWeek));
  EXPECT_NEAR(a, static_cast<double>(often.at(then, 0, kWeek)), a * 1e-4);
}

}  // namespace
}  // namespace headroom::schedule
