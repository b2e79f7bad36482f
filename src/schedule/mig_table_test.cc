#include "schedule/mig_table.h"

#include <gtest/gtest.h>

namespace headroom::schedule {
namespace {

// Placement table of the A100 with 80 GB (data/catalogue/hardware.csv).
model::GpuModel a100() {
  return {.name = "A100-80-SXM",
          .memory = base::gigabytes(80),
          .mig_slices = 8,
          .mig_profiles = {{"1g.10gb", 1, 0x7f, 7},
                           {"1g.20gb", 2, 0x55, 4},
                           {"2g.20gb", 2, 0x15, 3},
                           {"3g.40gb", 4, 0x11, 2},
                           {"4g.40gb", 4, 0x01, 1},
                           {"7g.80gb", 8, 0x01, 1}}};
}

constexpr std::size_t k1g = 0, k2g = 2, k3g = 3, k4g = 4, k7g = 5;

TEST(MigTable, SmallInstanceLeavesRoomForTheLargestOnes) {
  const MigTable table(a100());
  // Beside a 1g at slot 6, a 4g at 0 and a 2g at 4 still fit; at slot 0 it would cost the 4g.
  EXPECT_EQ(table.start(k1g, 0), 6);
  EXPECT_EQ(table.start(k4g, 1u << 6), 0);
  EXPECT_EQ(table.start(k2g, 0x0f | 1u << 6), 4);
}

TEST(MigTable, SevenSmallInstancesFillTheGpu) {
  const MigTable table(a100());
  std::uint8_t used = 0;
  for (int i = 0; i < 7; ++i) {
    const std::uint8_t start = table.start(k1g, used);
    ASSERT_NE(start, MigTable::kNoStart) << "instance " << i;
    used = static_cast<std::uint8_t>(used | table.covered(k1g, start));
  }
  EXPECT_EQ(table.start(k1g, used), MigTable::kNoStart);
}

TEST(MigTable, InstancesStartOnlyAtTheirSlots) {
  const MigTable table(a100());
  // Slots 0-3 taken: a 3g still starts at 4, a 4g nowhere, though four slices are free.
  EXPECT_EQ(table.start(k3g, 0x0f), 4);
  EXPECT_EQ(table.start(k4g, 0x0f), MigTable::kNoStart);
  EXPECT_EQ(table.start(k7g, 0), 0);
  EXPECT_EQ(table.start(k7g, 1u << 3), MigTable::kNoStart);
}

TEST(MigTable, FullGpuHasNoWorth) {
  const MigTable table(a100());
  EXPECT_EQ(table.worth(0xff), 0);
  EXPECT_GT(table.worth(0), table.worth(1));
}

}  // namespace
}  // namespace headroom::schedule
