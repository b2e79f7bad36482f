#include "simulate/durations.h"

#include <gtest/gtest.h>

namespace headroom::simulate {
namespace {

model::Job job(const std::string& user, int gpus, std::int64_t limit_minutes) {
  model::Job made;
  made.user = user;
  made.queue = "q";
  made.job = "train";
  made.groups.front().request.gpu = model::GpuRequest::whole(gpus);
  made.time = base::Duration{limit_minutes * 60'000};
  return made;
}

TEST(Durations, NothingKnownMeansTheLimit) {
  const Durations durations;
  EXPECT_EQ(durations.quantile(job("ana", 8, 60), 750), base::Duration{3'600'000});
  EXPECT_EQ(durations.quantile(job("ana", 8, 0), 750), base::Duration{0});
}

TEST(Durations, JobsAlikeCountFirst) {
  Durations durations;
  for (int i = 1; i <= 9; ++i) durations.ended(job("ana", 8, 0), base::Duration{i * 1000});
  for (int i = 1; i <= 50; ++i) durations.ended(job("ben", 1, 0), base::Duration{900'000});
  EXPECT_EQ(durations.quantile(job("ana", 8, 0), 500), base::Duration{5000});
  EXPECT_EQ(durations.quantile(job("ana", 8, 0), 750), base::Duration{7000});
  EXPECT_EQ(durations.quantile(job("cleo", 2, 0), 500), base::Duration{900'000}) << "all jobs";
}

TEST(Durations, NeverAboveTheLimit) {
  Durations durations;
  for (int i = 0; i < 9; ++i) durations.ended(job("ana", 8, 0), base::Duration{7'200'000});
  EXPECT_EQ(durations.quantile(job("ana", 8, 60), 750), base::Duration{3'600'000});
}

TEST(Durations, OldJobsAreForgotten) {
  Durations durations;
  for (int i = 0; i < 200; ++i) durations.ended(job("ana", 8, 0), base::Duration{1000});
  for (int i = 0; i < 128; ++i) durations.ended(job("ana", 8, 0), base::Duration{5000});
  EXPECT_EQ(durations.quantile(job("ana", 8, 0), 0), base::Duration{5000});
}

}  // namespace
}  // namespace headroom::simulate
