#include "formats/slurm_priority.h"

#include "formats/file.h"

namespace headroom::formats {
namespace {

TEST(SlurmPriority, WeightsAndFactorsOfItsConfiguration) {
  const auto priority = read_slurm_priority(
      {{"slurm.conf",
        "ClusterName=bed\nPriorityType=priority/multifactor\nPriorityWeightFairshare=10000\n"
        "PriorityWeightAge=1000\nPriorityMaxAge=14-0\nPriorityDecayHalfLife=0\n"
        "SchedulerParameters=bf_interval=5,bf_window=120,bf_max_job_test=50\nPriorityFavorSmall="
        "YES\n"
        "PartitionName=gpu Nodes=ALL PriorityJobFactor=10\n"},
       {"qos.txt", "Name|Priority|GraceTime\nnormal|0|0\nhigh|100|0\n"}});
  ASSERT_TRUE(priority) << priority.error().message;
  EXPECT_EQ(priority->fair_share, 10'000);
  EXPECT_EQ(priority->age, 1000);
  EXPECT_EQ(priority->max_age, base::Duration{14 * 86'400'000LL});
  EXPECT_EQ(priority->decay_half_life, base::Duration{0});
  EXPECT_EQ(priority->backfill_interval, base::Duration{5000});
  EXPECT_EQ(priority->backfill_window, base::Duration{7'200'000});
  EXPECT_EQ(priority->backfill_depth, 50);
  EXPECT_TRUE(priority->favor_small);
  EXPECT_EQ(priority->partition_factor.at("gpu"), 10);
  EXPECT_EQ(priority->qos_priority.at("high"), 100);
}

// examples/slurm/slurm.conf is that of a real Slurm.
TEST(SlurmPriority, ARealConfigurationIsRead) {
  const auto text =
      read_file(std::string(HEADROOM_SOURCE_DIR) + "/examples/slurm/slurm.conf", kLargestYaml);
  ASSERT_TRUE(text) << text.error().message;
  const auto priority = read_slurm_priority({{"slurm.conf", *text}});
  ASSERT_TRUE(priority) << priority.error().message;
  EXPECT_TRUE(priority->multifactor);
  EXPECT_EQ(priority->fair_share, 10'000);
}

TEST(SlurmPriority, BadValuesNameTheSetting) {
  const auto priority =
      read_slurm_priority({{"slurm.conf", "ClusterName=c\nPriorityWeightAge=much\n"}});
  ASSERT_FALSE(priority);
  EXPECT_EQ(priority.error().message,
            "slurm.conf: PriorityWeightAge: much is not a whole number in 0..4294967295");
}

}  // namespace
}  // namespace headroom::formats
