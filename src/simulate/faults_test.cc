#include "simulate/faults.h"

#include <gtest/gtest.h>

namespace headroom::simulate {
namespace {

const FaultModel kModel{base::Duration{86'400'000}, base::Duration{3'600'000}};

model::Cluster nodes(const std::vector<std::string>& names) {
  model::Cluster cluster;
  for (const std::string& name : names) cluster.nodes.push_back({name, model::ShapeId{0}});
  return cluster;
}

// These very numbers on every machine.
TEST(Faults, DrawsDependOnTheSeedAndTheNameOfTheNodeAlone) {
  NodeFaults faults(nodes({"h02", "h01"}), kModel, 42);
  NodeFaults other(nodes({"h01"}), kModel, 42);
  NodeFaults seed(nodes({"h01"}), kModel, 43);
  const base::Duration first = faults.until_failure(1);
  EXPECT_EQ(first.value(), 34'120'133);
  EXPECT_EQ(other.until_failure(0), first);
  EXPECT_EQ(other.until_repaired(0), faults.until_repaired(1));
  EXPECT_NE(faults.until_failure(0), first);
  EXPECT_NE(seed.until_failure(0), first);
}

TEST(Faults, ANodeIsDownUntilTheLastOfItsOutagesEnds) {
  NodeFaults faults(nodes({"h01"}), {}, 0);
  EXPECT_FALSE(faults.modelled());
  EXPECT_TRUE(faults.begins(0));
  EXPECT_FALSE(faults.begins(0));
  EXPECT_FALSE(faults.ends(0));
  EXPECT_TRUE(faults.ends(0));
}

}  // namespace
}  // namespace headroom::simulate
