// Replays that are small enough to be worked out by hand.
#include "simulate/replay.h"

#include <gtest/gtest.h>

#include "simulate/fairness.h"
#include "simulate/summary.h"
#include "tests/world.h"

namespace headroom::tests {
namespace {

using simulate::Cause;
using simulate::ReplayInput;
using simulate::ReplayResult;

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kGpuHour = 1000 * 60 * kMinute;  // milli x ms
const base::Time kStart{1'000'000 * kMinute};

base::Time at(std::int64_t minutes) { return kStart + base::Duration{minutes * kMinute}; }
base::Duration minutes(std::int64_t count) { return base::Duration{count * kMinute}; }

// A job of `tasks` nodes of eight GPUs.
model::HistoricJob historic(const std::string& queue, std::int64_t submit, std::int64_t run,
                            std::int64_t tasks = 1) {
  model::HistoricJob one;
  one.job = job_of(queue, tasks, 8, 10'000);
  one.job.time = {};
  one.submit = at(submit);
  one.run = minutes(run);
  return one;
}

ReplayInput input_of(int nodes, std::vector<model::HistoricJob> jobs,
                     const std::string& policy = "easy") {
  auto history = std::make_shared<model::History>();
  history->jobs = std::move(jobs);
  for (std::size_t i = 0; i < history->jobs.size(); ++i) {
    history->jobs[i].id = std::to_string(i + 1);
    history->jobs[i].number = static_cast<std::int64_t>(i) + 1;
  }
  ReplayInput input{.cluster = std::make_shared<model::Cluster>(gpu_cluster(nodes)),
                    .queues = {{.name = "a"}, {.name = "b"}},
                    .jobs = history};
  input.policy = policy;
  return input;
}

ReplayResult run(const ReplayInput& input) {
  auto result = simulate::replay(input);
  EXPECT_TRUE(result) << result.error().message;
  return result ? std::move(*result) : ReplayResult{};
}

std::int64_t idle(const ReplayResult& result, Cause cause) {
  return result.gpu.idle_waiting[static_cast<std::size_t>(cause)];
}

TEST(Replay, TwoJobsOneAfterTheOther) {
  const ReplayInput input = input_of(1, {historic("a", 0, 60), historic("b", 0, 60)});
  const ReplayResult result = run(input);
  const simulate::Summary summary = simulate::summarise(input, result);
  EXPECT_EQ(summary.jobs, 2);
  EXPECT_EQ(summary.wait_s.mean, 30 * 60);
  EXPECT_EQ(summary.wait_s.p50, 0);
  EXPECT_EQ(summary.wait_s.p90, 60 * 60);
  EXPECT_EQ(summary.completion_s.mean, 90 * 60);
  EXPECT_EQ(summary.slowdown.p90, 2);
  EXPECT_EQ(summary.makespan_s, 120 * 60);
  EXPECT_EQ(summary.allocated, 1);
  EXPECT_EQ(summary.useful, 1);
  EXPECT_EQ(summary.lost_gpu_h, 0);
  EXPECT_EQ(result.gpu.idle, 0);
  ASSERT_EQ(result.stretches.size(), 2u);
  EXPECT_EQ(result.stretches[1].start, at(60));
  EXPECT_EQ(result.stretches[1].end, at(120));
  EXPECT_EQ(result.stretches[1].gpu_milli, 8000);
  EXPECT_EQ(result.stretches[1].nodes, 1);
}

TEST(Replay, AQueueHasItsShareOfTheGpuHours) {
  const ReplayInput input = input_of(1, {historic("a", 0, 60), historic("b", 0, 180)});
  const auto queues = simulate::summarise_queues(input, run(input));
  ASSERT_EQ(queues.size(), 2u);
  EXPECT_EQ(queues[0].queue, "a");
  EXPECT_EQ(queues[0].gpu_h, 8);
  EXPECT_EQ(queues[0].share, 0.25);
  EXPECT_EQ(queues[1].wait_s.mean, 3600);
}

TEST(Replay, ADeadlineIsMissedByWhoEndsLaterOrNever) {
  ReplayInput input =
      input_of(1, {historic("a", 0, 60), historic("b", 0, 60), historic("b", 0, 60, 2)});
  auto jobs = std::make_shared<model::History>(*input.jobs);
  jobs->jobs[0].job.deadline = at(60);
  jobs->jobs[1].job.deadline = at(119);
  jobs->jobs[2].job.deadline = at(10'000);  // two nodes: rejected
  input.jobs = jobs;
  const simulate::Summary summary = simulate::summarise(input, run(input));
  EXPECT_EQ(summary.deadlines.jobs, 3);
  EXPECT_EQ(summary.deadlines.missed, 2);
  EXPECT_EQ(summary.rejected, 1);
  std::int64_t by_reason = 0;
  for (const std::int64_t count : summary.rejected_by) by_reason += count;
  EXPECT_EQ(by_reason, 1);
}

// Down from minute 65 to 75: two checkpoints are safe, five minutes are lost, the restart costs
// five: 75 + 5 + 40.
TEST(Replay, AFailureCostsWhatIsSinceTheLastCheckpointAndTheRestart) {
  ReplayInput input = input_of(1, {historic("a", 0, 100)});
  input.outages = {{model::NodeId{0}, at(65), at(75)}};
  const ReplayResult result = run(input);
  EXPECT_EQ(result.jobs[0].end, at(120));
  EXPECT_EQ(result.jobs[0].lost, minutes(10));
  EXPECT_EQ(result.jobs[0].starts, 2);
  EXPECT_EQ(result.node_failures, 1);
  EXPECT_EQ(result.gpu.capacity, 110 * kGpuHour * 8 / 60);
  EXPECT_EQ(result.gpu.allocated, result.gpu.capacity);
  EXPECT_EQ(result.gpu.useful, 100 * kGpuHour * 8 / 60);
  EXPECT_EQ(result.preemptions, 0);
}

TEST(Replay, AJobsOwnCheckpointsAndRestartCostCount) {
  ReplayInput input = input_of(1, {historic("a", 0, 100)});
  input.outages = {{model::NodeId{0}, at(65), at(75)}};
  auto jobs = std::make_shared<model::History>(*input.jobs);
  jobs->jobs[0].job.checkpoint = model::CheckpointSpec{.every = minutes(10)};
  jobs->jobs[0].job.restart_cost = minutes(1);
  input.jobs = jobs;
  EXPECT_EQ(run(input).jobs[0].end, at(75 + 1 + 40));
}

// A gang that may run with one of its two tasks starts beside a job that ends after half an hour,
// and loses nothing when the other one joins.
TEST(Replay, AGangThatGrowsGoesOn) {
  std::vector<model::HistoricJob> jobs{historic("a", 0, 30), historic("b", 0, 60, 2)};
  jobs[1].job.gang = 1;
  const ReplayResult result = run(input_of(2, jobs));
  EXPECT_EQ(result.jobs[1].first_start, at(0));
  EXPECT_EQ(result.jobs[1].end, at(60));
  EXPECT_EQ(result.jobs[1].lost, minutes(0));
  EXPECT_EQ(result.jobs[1].starts, 1);
  EXPECT_EQ(result.jobs[1].nodes, 2);
  ASSERT_EQ(result.stretches.size(), 3u);
  EXPECT_EQ(result.stretches[2].gpu_milli, 16'000);
  EXPECT_EQ(result.gpu.useful, 16 * kGpuHour);
  EXPECT_EQ(result.gpu.allocated, 16 * kGpuHour);
}

// A failure before the first job is submitted is over by then, and counts for nothing.
TEST(Replay, WhatWasBeforeTheFirstJobDoesNotCount) {
  ReplayInput input = input_of(1, {historic("a", 0, 60)});
  const ReplayResult without = run(input);
  input.outages = {{model::NodeId{0}, at(-90), at(-30)}};
  const ReplayResult with = run(input);
  EXPECT_EQ(with.first, at(0));
  EXPECT_EQ(with.gpu.capacity, without.gpu.capacity);
  EXPECT_EQ(with.jobs[0].end, at(60));
}

// The last job ends the replay: what would happen later does not count as idle.
TEST(Replay, WhatIsAfterTheLastJobDoesNotCount) {
  model::HistoricJob job = historic("a", 0, 60);
  job.job.expected = minutes(60);  // else it would not start before the window
  ReplayInput input = input_of(1, {job});
  input.outages = {{model::NodeId{0}, at(90), at(900)}};
  input.windows = {{.window = {.name = "w", .start = at(100), .end = at(200)},
                    .nodes = {model::NodeId{0}},
                    .maintenance = true}};
  const ReplayResult result = run(input);
  EXPECT_EQ(result.last, at(60));
  EXPECT_EQ(result.gpu.capacity, 8 * kGpuHour);
  EXPECT_EQ(result.node_failures, 0);
}

TEST(Replay, AJobThatFailedInTheHistoryIsNotTriedAgain) {
  ReplayInput input = input_of(1, {historic("a", 0, 60)});
  auto jobs = std::make_shared<model::History>(*input.jobs);
  jobs->jobs[0].outcome = model::Outcome::kFailed;
  jobs->jobs[0].job.retries = 3;
  input.jobs = jobs;
  const ReplayResult result = run(input);
  EXPECT_EQ(result.jobs[0].starts, 1);
  EXPECT_EQ(result.jobs[0].end, at(60));
  EXPECT_EQ(result.jobs[0].outcome, schedule::JobOutcome::kFailed);
}

// One of two nodes is free while a job of both waits for an hour.
TEST(Replay, IdleWhileTooLittleIsFree) {
  const ReplayResult result = run(input_of(2, {historic("a", 0, 60), historic("b", 0, 10, 2)}));
  EXPECT_EQ(idle(result, Cause::kCapacity), 8 * kGpuHour);
  EXPECT_EQ(result.gpu.idle, 8 * kGpuHour);
}

// A queue may have one node; its second job waits beside an idle one.
TEST(Replay, IdleBecauseOfAQuota) {
  ReplayInput input = input_of(2, {historic("a", 0, 60), historic("a", 0, 60)});
  input.queues[0].limit = {{"h100", 8}};
  const ReplayResult result = run(input);
  EXPECT_EQ(idle(result, Cause::kQuota), 8 * kGpuHour);
  EXPECT_EQ(result.gpu.idle, 16 * kGpuHour);  // and an hour when nobody waits
}

// A node is kept for queue b during two hours; a job of queue a waits for their end.
TEST(Replay, IdleBecauseANodeIsReserved) {
  ReplayInput input = input_of(1, {historic("a", 0, 60)});
  input.windows = {{.window = {.name = "w", .start = at(0), .end = at(120), .queue = "b"},
                    .nodes = {model::NodeId{0}}}};
  const ReplayResult result = run(input);
  EXPECT_EQ(result.jobs[0].first_start, at(120));
  EXPECT_EQ(idle(result, Cause::kWindow), 16 * kGpuHour);
}

// Tasks of five GPUs run on a node of eight: the other three are of no use to such tasks.
TEST(Replay, IdleGpusThatTypicalTasksCannotUseAreFragments) {
  ReplayInput input = input_of(1, {historic("a", 0, 60)});
  auto jobs = std::make_shared<model::History>(*input.jobs);
  jobs->jobs[0].job = job_of("a", 1, 5, 60);
  input.jobs = jobs;
  const ReplayResult result = run(input);
  EXPECT_EQ(result.gpu.idle, 3 * kGpuHour);
  EXPECT_EQ(result.gpu.unusable, 3 * kGpuHour);
  EXPECT_EQ(simulate::summarise(input, result).fragmentation, 1);
}

// Each tenant's part is four GPUs, its jobs are counted at that size. Together b waits for a:
// ratios 1 and 2, and Jain's index of (1, 1/2) is 0.9.
TEST(Replay, FairnessComparesWithEachTenantAlone) {
  const ReplayInput input = input_of(1, {historic("a", 0, 60), historic("b", 0, 60)});
  const auto tenants = simulate::tenants_of(*input.jobs);
  ASSERT_EQ(tenants.size(), 2u);
  std::vector<simulate::AloneTimes> alone;
  for (const simulate::Tenant& tenant : tenants) {
    const auto times = simulate::alone_times(input, tenant, tenants.size());
    ASSERT_TRUE(times) << times.error().message;
    alone.push_back(*times);
  }
  EXPECT_EQ(alone[1], simulate::AloneTimes{minutes(60)});
  const simulate::Fairness fair = simulate::fairness(run(input), tenants, alone);
  EXPECT_EQ(fair.ratios, (std::vector<double>{1, 2}));
  EXPECT_EQ(fair.worst_ratio, 2);
  EXPECT_DOUBLE_EQ(fair.jain, 0.9);
}

// Alone as well a tenant may share GPUs where its queue says so.
TEST(Replay, ATenantThatSharesGpusHasARatio) {
  ReplayInput input = input_of(1, {historic("a", 0, 60), historic("b", 0, 60)});
  auto jobs = std::make_shared<model::History>(*input.jobs);
  jobs->jobs[0].job.groups.front().request.gpu = model::GpuRequest::fraction(base::GpuMilli{250});
  input.jobs = jobs;
  input.queues[0].cooperative_sharing = true;
  const auto tenants = simulate::tenants_of(*input.jobs);
  const auto times = simulate::alone_times(input, tenants[0], tenants.size());
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_EQ(*times, simulate::AloneTimes{minutes(60)});
}

// Long enough for samples to be thinned: a job every minute for three weeks.
TEST(Replay, SamplesAreThinnedEvenly) {
  std::vector<model::HistoricJob> jobs;
  for (std::int64_t i = 0; i < 30'000; ++i) jobs.push_back(historic("a", i, 1));
  const ReplayResult result = run(input_of(1, std::move(jobs)));
  EXPECT_GE(result.samples.size(), simulate::kMostSamples / 2);
  EXPECT_LE(result.samples.size(), simulate::kMostSamples);
  EXPECT_EQ(result.samples.front().time, at(0));
  EXPECT_GT(result.samples.back().time, at(29'800));
  base::Duration widest, narrowest = minutes(30'000);
  for (std::size_t i = 1; i < result.samples.size(); ++i) {
    const auto step = base::between(result.samples[i - 1].time, result.samples[i].time);
    widest = std::max(widest, step);
    narrowest = std::min(narrowest, step);
  }
  EXPECT_LE(widest.value(), 2 * narrowest.value());
}

}  // namespace
}  // namespace headroom::tests
