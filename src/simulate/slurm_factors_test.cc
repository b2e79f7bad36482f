#include "simulate/slurm_factors.h"

#include <gtest/gtest.h>

namespace headroom::simulate {
namespace {

TEST(SlurmFactors, QosAndPartitionOverTheLargest) {
  model::SlurmPriority priority{.partition = 100, .qos = 1000};
  priority.qos_priority = {{"high", 200}, {"low", 50}};
  priority.partition_factor = {{"gpu", 10}};
  model::History history;
  history.jobs.resize(3);
  history.jobs[0].qos = "low";
  history.jobs[1].qos = "high";
  history.jobs[1].partition = "gpu";
  history.jobs[2].qos = "unheard-of";
  EXPECT_EQ(slurm_fixed_part(priority, history),
            (std::vector<std::int64_t>{0, 250'000'000, 1'100'000'000, 0}));
}

}  // namespace
}  // namespace headroom::simulate
