#include "simulate/durations.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headroom::simulate {
namespace {

constexpr base::Duration kMinute{60'000};

model::Job job(const std::string& user, int gpus, std::int64_t limit_minutes,
               const std::string& name = "train") {
  model::Job made;
  made.user = user;
  made.queue = "q";
  made.job = name;
  made.groups.front().request.gpu = model::GpuRequest::whole(gpus);
  made.time = kMinute * limit_minutes;
  return made;
}

double minutes(base::Duration time) { return static_cast<double>(time.value()) / 60'000; }

TEST(Durations, NothingKnownMeansTheLimit) {
  const Durations durations;
  EXPECT_EQ(durations.quantile(job("ana", 8, 60), 750), kMinute * 60);
  EXPECT_EQ(durations.quantile(job("ana", 8, 0), 750), base::Duration{0});
}

TEST(Durations, QuantilesAreNearestRank) {
  Durations durations;
  for (int i = 1; i <= 10; ++i) durations.ended(job("ana", 8, 0), kMinute * i);
  EXPECT_NEAR(minutes(durations.quantile(job("ana", 8, 0), 1)), 1, 0.001);
  EXPECT_NEAR(minutes(durations.quantile(job("ana", 8, 0), 500)), 5, 0.001);
  EXPECT_NEAR(minutes(durations.quantile(job("ana", 8, 0), 750)), 8, 0.001);
  EXPECT_NEAR(minutes(durations.quantile(job("ana", 8, 0), 1000)), 10, 0.001);
  EXPECT_NEAR(minutes(durations.quantile(job("ben", 1, 0, "other"), 500)), 5, 0.001)
      << "nobody else is known";
}

// Two of ana's jobs took 10 minutes, a thousand others 160. Of her groups each has seen two, so
// each moves the estimate by 2/32 of the way; `train` and `train` on 8 GPUs are hers alone as well.
TEST(Durations, AGroupCountsForWhatItHasSeen) {
  Durations durations;
  for (int i = 0; i < 1000; ++i) durations.ended(job("ben", 1, 0, "other"), kMinute * 160);
  for (int i = 0; i < 2; ++i) durations.ended(job("ana", 8, 0), kMinute * 10);
  const double left = std::pow(1 - 2.0 / 32, 4);
  EXPECT_NEAR(minutes(durations.quantile(job("ana", 8, 0), 500)), 10 * std::pow(16, left), 0.1);
  EXPECT_NEAR(minutes(durations.quantile(job("ana", 8, 0, "eval"), 500)),
              10 * std::pow(16, 1 - 2.0 / 32), 0.1)
      << "the same user and size";
  EXPECT_NEAR(minutes(durations.quantile(job("cleo", 4, 0, "eval"), 500)), 160, 0.1);
  for (int i = 0; i < 500; ++i) durations.ended(job("ana", 8, 0), kMinute * 10);
  EXPECT_LT(minutes(durations.quantile(job("ana", 8, 0), 500)), 10.1);
}

TEST(Durations, OfAJobWithALimitItIsTheUsedPartThatIsLearned) {
  Durations durations;
  for (const int limit : {60, 120, 600})
    durations.ended(job("ana", 8, limit), kMinute * (limit / 4));
  EXPECT_NEAR(minutes(durations.quantile(job("ana", 8, 40), 500)), 10, 0.01);
  EXPECT_NEAR(minutes(durations.quantile(job("ben", 1, 400, "other"), 900)), 100, 0.1);
  EXPECT_EQ(durations.quantile(job("ana", 8, 0), 500), base::Duration{0})
      << "nothing is known of jobs without a limit";
}

TEST(Durations, NeverAboveTheLimit) {
  Durations durations;
  for (int i = 0; i < 9; ++i) durations.ended(job("ana", 8, 60), kMinute * 120);
  EXPECT_EQ(durations.quantile(job("ana", 8, 60), 750), kMinute * 60);
}

TEST(Durations, OldJobsAreForgotten) {
  Durations durations;
  for (int i = 0; i < 900; ++i) durations.ended(job("ana", 8, 0), kMinute);
  for (int i = 0; i < 511; ++i) durations.ended(job("ana", 8, 0), kMinute * 5);
  EXPECT_NEAR(minutes(durations.quantile(job("ana", 8, 0), 1)), 1, 0.001);
  durations.ended(job("ana", 8, 0), kMinute * 5);
  EXPECT_NEAR(minutes(durations.quantile(job("ana", 8, 0), 1)), 5, 0.001);
}

TEST(Durations, FromAMillisecondToAThousandYears) {
  for (const std::int64_t ms :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{31'536'000'000'000}}) {
    Durations durations;
    durations.ended(job("ana", 8, 0), base::Duration{ms});
    const auto found = static_cast<double>(durations.quantile(job("ana", 8, 0), 500).value());
    EXPECT_NEAR(found, static_cast<double>(std::max<std::int64_t>(ms, 1)), 1e-4 * found);
  }
}

}  // namespace
}  // namespace headroom::simulate
