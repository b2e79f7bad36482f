#include "simulate/wait_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace headroom::simulate {
namespace {

JobRun waited(std::int64_t ms, schedule::JobOutcome outcome) {
  JobRun run{.submitted = base::Time{5'000}};
  run.first_start = run.submitted + base::Duration{ms};
  run.end = run.first_start + base::Duration{1'000};
  run.outcome = outcome;
  return run;
}

TEST(WaitCounts, TimesRiseByDecades) {
  const auto& times = wait_times();
  EXPECT_EQ(std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()), times.end());
  EXPECT_EQ(times.front(), base::Duration{1'000});
  EXPECT_EQ(times[12], base::Duration{10'000});
  for (const std::int64_t seconds : {60, 3'600, 86'400}) {
    EXPECT_NE(std::find(times.begin(), times.end(), base::Duration{seconds * 1000}), times.end());
  }
  EXPECT_EQ(times.back(), base::Duration{100'000'000'000});
}

TEST(WaitCounts, CountsWhoWaitedAtMostSoLong) {
  using schedule::JobOutcome;
  ReplayResult result;
  result.jobs = {waited(0, JobOutcome::kCompleted),
                 waited(1'000, JobOutcome::kFailed),
                 waited(1'001, JobOutcome::kTimedOut),
                 waited(10'000, JobOutcome::kCompleted),
                 waited(200'000'000'000, JobOutcome::kCompleted),
                 waited(0, JobOutcome::kCancelled)};
  const WaitCounts counts = count_waits(result);
  EXPECT_EQ(counts.jobs, 5);  // but not the cancelled one
  EXPECT_EQ(counts.at_most[0], 2);
  EXPECT_EQ(counts.at_most[1], 3);
  EXPECT_EQ(counts.at_most[11], 3);
  EXPECT_EQ(counts.at_most[12], 4);
  EXPECT_EQ(counts.at_most.back(), 4);  // one waited longer than all of these
  EXPECT_EQ((counts + counts).at_most[12], 8);
  EXPECT_EQ((counts + counts).jobs, 10);
}

}  // namespace
}  // namespace headroom::simulate
