#include "simulate/timeline.h"

#include <gtest/gtest.h>

namespace headroom::simulate {
namespace {

constexpr std::int64_t kMinute = 60'000;

base::Time minute(std::int64_t n) { return base::Time{1'000'000 + n * kMinute}; }

GpuStep sum_of(const Timeline& timeline) {
  GpuStep sum;
  for (const GpuStep& step : timeline.steps()) {
    sum.capacity += step.capacity;
    sum.allocated += step.allocated;
    sum.unusable += step.unusable;
  }
  return sum;
}

TEST(Timeline, SplitsAtTheEdgesOfSteps) {
  Timeline timeline(minute(0));
  timeline.add(minute(0), minute(0) + base::Duration{90'000}, {8, 4, 1});
  timeline.add(minute(0) + base::Duration{90'000}, minute(2), {8, 2, 0});
  ASSERT_EQ(timeline.steps().size(), 2u);
  EXPECT_EQ(timeline.steps()[0].allocated, 4 * kMinute);
  EXPECT_EQ(timeline.steps()[1].allocated, 3 * kMinute);
  EXPECT_EQ(timeline.steps()[1].capacity, 8 * kMinute);
  EXPECT_EQ(timeline.steps()[1].unusable, kMinute / 2);
}

TEST(Timeline, TheLastStepMayBeCutShort) {
  Timeline timeline(minute(0));
  timeline.add(minute(0), minute(1) + base::Duration{15'000}, {1, 1, 0});
  EXPECT_EQ(timeline.length_of(0), base::Duration{60'000});
  EXPECT_EQ(timeline.length_of(1), base::Duration{15'000});
}

TEST(Timeline, IsBoundedAndLosesNothing) {
  Timeline timeline(minute(0));
  base::Time at = minute(0);
  GpuStep expected;
  for (std::int64_t i = 0; i < 3000; ++i) {
    const base::Time to = at + base::Duration{7'000 + 90'000 * (i % 5)};
    const std::int64_t length = base::between(at, to).value();
    const GpuStep held{100, i % 100, i % 7};
    timeline.add(at, to, held);
    expected.capacity += held.capacity * length;
    expected.allocated += held.allocated * length;
    expected.unusable += held.unusable * length;
    at = to;
  }
  EXPECT_LE(timeline.steps().size(), Timeline::kMostSteps);
  EXPECT_GT(timeline.steps().size(), Timeline::kMostSteps / 2);
  EXPECT_EQ(timeline.end(), at);
  EXPECT_EQ(sum_of(timeline).capacity, expected.capacity);
  EXPECT_EQ(sum_of(timeline).allocated, expected.allocated);
  EXPECT_EQ(sum_of(timeline).unusable, expected.unusable);
}

TEST(Timeline, ALongPauseIsOneCall) {
  Timeline timeline(minute(0));
  timeline.add(minute(0), minute(10'000'000), {3, 0, 0});
  EXPECT_LE(timeline.steps().size(), Timeline::kMostSteps);
  EXPECT_EQ(sum_of(timeline).capacity, 3 * 10'000'000 * kMinute);
}

}  // namespace
}  // namespace headroom::simulate
