#include "simulate/faults.h"

#include <gtest/gtest.h>

#include "simulate/draws.h"

namespace headroom::simulate {
namespace {

// These very numbers on every machine.
TEST(Faults, DrawsAreFixed) {
  base::Rng rng = fault_rng(42, "h01");
  const base::Duration mean{86'400'000};
  EXPECT_EQ(exponential(rng, mean).value(), 34'120'133);
  EXPECT_NE(fault_rng(42, "h01").next(), fault_rng(42, "h02").next());
  EXPECT_NE(fault_rng(42, "h01").next(), fault_rng(43, "h01").next());
}

}  // namespace
}  // namespace headroom::simulate
