#include "simulate/predictions.h"

#include <gtest/gtest.h>

#include "simulate/generate.h"

namespace headroom::simulate {
namespace {

constexpr base::Duration kMinute{60'000};

model::HistoricJob historic(std::int64_t minute, std::int64_t run, std::int64_t limit) {
  model::HistoricJob job;
  job.submit = base::Time{} + kMinute * minute;
  job.run = kMinute * run;
  job.job.job = "a";
  job.job.time = kMinute * limit;
  return job;
}

JobRun run_of(std::uint32_t job, const model::HistoricJob& historic, std::int64_t wait = 0) {
  JobRun run;
  run.job = job;
  run.submitted = historic.submit;
  run.end = historic.submit + historic.run + kMinute * wait;
  run.outcome = schedule::JobOutcome::kCompleted;
  return run;
}

// 10 min and 30 min have ended when the third is submitted: at P50 the quantile of all is 10 min,
// at P90 30 min. It runs for 20.
TEST(Predictions, LossOfTheQuantileOfAllAndOfTheLimitByHand) {
  model::History history;
  history.jobs = {historic(0, 10, 40), historic(1, 30, 60), historic(100, 20, 50)};
  ReplayResult result;
  for (std::uint32_t i = 0; i < 3; ++i) result.jobs.push_back(run_of(i, history.jobs[i]));
  const Predictions found = judge_predictions(history, result);
  EXPECT_EQ(found.all.jobs, 1) << "nothing had ended when the first two were submitted";
  EXPECT_NEAR(found.all.p50.global, 0.5 * 10 * 60, 1e-6);
  EXPECT_NEAR(found.all.p90.global, 0.1 * 10 * 60, 1e-6);
  EXPECT_EQ(found.limited.jobs, 1);
  EXPECT_NEAR(found.limited.p50.limit, 0.5 * 30 * 60, 1e-6);
  EXPECT_NEAR(found.limited.p90.limit, 0.1 * 30 * 60, 1e-6);
  // A quarter of the limit at P50, a half at P90.
  EXPECT_NEAR(found.all.p50.predicted, 0.5 * 7.5 * 60, 0.1);
  EXPECT_NEAR(found.all.p90.predicted, 0.1 * 5 * 60, 0.1);
}

// What ends later is not known, however early it was submitted.
TEST(Predictions, NothingIsKnownOfTheFuture) {
  model::History history;
  history.jobs = {historic(0, 10, 0), historic(1, 500, 0), historic(100, 20, 0)};
  ReplayResult result;
  for (std::uint32_t i = 0; i < 3; ++i) result.jobs.push_back(run_of(i, history.jobs[i]));
  const Predictions before = judge_predictions(history, result);
  history.jobs[1].run = kMinute * 900;
  result.jobs[1].end = base::Time{} + kMinute * 901;
  const Predictions after = judge_predictions(history, result);
  EXPECT_EQ(before.all.jobs, 1);
  EXPECT_EQ(before.all.p90.predicted, after.all.p90.predicted);
  EXPECT_EQ(before.all.p90.global, after.all.p90.global);
  EXPECT_NEAR(after.all.p90.global, 0.9 * 10 * 60, 1e-6) << "10 min for 20";
}

// The quantile of all is that of a sorted list.
TEST(Predictions, TheRunningQuantileIsExact) {
  base::Rng rng(3);
  model::History history;
  ReplayResult result;
  for (std::uint32_t i = 0; i < 300; ++i) {
    history.jobs.push_back(historic(i, rng.between(1, 40), 0));
    result.jobs.push_back(run_of(i, history.jobs.back(), rng.between(0, 30)));
  }
  double expected = 0;
  std::int64_t judged = 0;
  for (const JobRun& job : result.jobs) {
    std::vector<std::int64_t> ended;
    for (const JobRun& other : result.jobs) {
      if (other.end <= job.submitted) ended.push_back(history.jobs[other.job].run.value());
    }
    if (ended.empty()) continue;
    std::sort(ended.begin(), ended.end());
    const std::int64_t guess = ended[(ended.size() * 9 + 9) / 10 - 1];
    const std::int64_t off = history.jobs[job.job].run.value() - guess;
    expected += static_cast<double>(off >= 0 ? 9 * off : -off) / 10'000;
    ++judged;
  }
  const Predictions found = judge_predictions(history, result);
  ASSERT_EQ(found.all.jobs, judged);
  EXPECT_NEAR(found.all.p90.global, expected / static_cast<double>(judged), 1e-6);
}

// Where names come again, and where limits say something, predictions beat their rivals.
TEST(Predictions, BeatTheirRivalsOnGeneratedLoads) {
  for (const std::string& name : load_names()) {
    const auto load = generate({.load_name = name, .seed = 1, .days = 7, .nodes = 16});
    ASSERT_TRUE(load) << load.error().message;
    ReplayResult result;
    for (std::uint32_t i = 0; i < load->jobs.jobs.size(); ++i) {
      result.jobs.push_back(run_of(i, load->jobs.jobs[i]));  // nothing waits
    }
    const Predictions found = judge_predictions(load->jobs, result);
    EXPECT_LT(found.all.p50.predicted, 0.6 * found.all.p50.global) << name;
    EXPECT_LT(found.all.p90.predicted, 0.5 * found.all.p90.global) << name;
    EXPECT_LT(found.limited.p50.predicted, 0.3 * found.limited.p50.limit) << name;
    EXPECT_LT(found.limited.p90.predicted, 0.6 * found.limited.p90.limit) << name;
  }
}

}  // namespace
}  // namespace headroom::simulate
