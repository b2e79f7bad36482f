#include "simulate/fixed_log.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headroom::simulate {
namespace {

TEST(FixedLog, IsTheLogarithm) {
  for (const std::uint64_t value :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{1000},
        std::uint64_t{2'461'853'831}, (std::uint64_t{1} << 50) - 1}) {
    EXPECT_NEAR(static_cast<double>(log2_fixed(value)) / std::pow(2.0, kLogBits),
                std::log2(static_cast<double>(value)), 1e-9)
        << value;
  }
}

TEST(FixedLog, IsThePower) {
  for (const double exponent : {-20.3, -1.0, -0.001, 0.0, 0.5, 0.9999, 7.77, 20.0}) {
    const double expected = 1e9 * std::pow(2.0, exponent);
    const auto found =
        times_power(1'000'000'000, static_cast<std::int64_t>(exponent * (1 << kPowerBits)));
    EXPECT_NEAR(static_cast<double>(found), expected, 1 + 2e-5 * expected) << exponent;
  }
  EXPECT_EQ(times_power(1, std::int64_t{40} << kPowerBits), std::int64_t{1} << 40);
  EXPECT_EQ(times_power(0, 12345), 0);
}

}  // namespace
}  // namespace headroom::simulate
