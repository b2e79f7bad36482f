#include "server/clock.h"

#include <gtest/gtest.h>

#include "server/simulated.h"

namespace headroom::server {

using base::Duration;
using base::Time;

TEST(Timeline, ItGoesOnAsTheMonotonicClockDoes) {
  SimulatedClock clock;
  Timeline timeline(clock, Time{0});
  const Time start = timeline.now();
  EXPECT_EQ(start, clock.wall());
  clock.pass(Duration{1'234});
  EXPECT_EQ(timeline.now(), start + Duration{1'234});
}

TEST(Timeline, ItIsNeverBeforeTheLastRecord) {
  SimulatedClock clock;
  Timeline timeline(clock, clock.wall() + Duration{5'000});
  EXPECT_EQ(timeline.now(), clock.wall() + Duration{5'000});
}

TEST(Timeline, AfterAJumpOfTheWallClockItRunsATenthFasterUntilTheyAgree) {
  SimulatedClock clock;
  Timeline timeline(clock, Time{0});
  clock.set_wall(clock.wall() + Duration{100'000});
  for (int i = 0; i < 200'000; ++i) {  // in steps of a millisecond, the smallest
    const Time before = timeline.now();
    clock.pass(Duration{1});
    const Duration step = base::between(before, timeline.now());
    ASSERT_TRUE(step == Duration{1} || step == Duration{2});
  }
  EXPECT_NEAR(static_cast<double>(base::between(timeline.now(), clock.wall()).value()), 80'000, 10);
}

TEST(Timeline, AfterAJumpBackItRunsATenthSlowerAndNeverBack) {
  SimulatedClock clock;
  Timeline timeline(clock, Time{0});
  const Time start = timeline.now();
  clock.set_wall(clock.wall() + Duration{-60'000});
  clock.pass(Duration{100'000});
  EXPECT_EQ(timeline.now(), start + Duration{90'000});
}

}  // namespace headroom::server
