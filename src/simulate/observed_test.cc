#include "simulate/observed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace headroom::simulate {
namespace {

using model::HistoricJob;
using model::History;

constexpr base::Duration kMinute{60'000};
constexpr base::Time kStart{1'800'000'000'000};

ReplayInput input_of(History history, const std::string& policy) {
  model::Cluster cluster;
  cluster.gpu_models.push_back({.name = "H100-SXM", .memory = base::gigabytes(80)});
  const model::ShapeId shape = cluster.intern_shape({.pool = "gpu",
                                                     .cpu = base::CpuMilli{96'000},
                                                     .memory = base::gibibytes(1024),
                                                     .gpu_model = model::GpuModelId{std::size_t{0}},
                                                     .gpus = 8});
  for (int i = 0; i < 2; ++i) cluster.nodes.push_back({"n" + std::to_string(i), shape});
  return {.cluster = std::make_shared<const model::Cluster>(std::move(cluster)),
          .queues = {{.name = "all"}},
          .jobs = std::make_shared<const History>(std::move(history)),
          .outages = {},
          .policy = policy,
          .plan_by_limit = true};
}

// 300 jobs for about 0.9 of 16 GPUs.
History random_jobs() {
  base::Rng rng(7);
  History history;
  base::Time now = kStart;
  for (int i = 0; i < 300; ++i) {
    HistoricJob one;
    one.id = std::to_string(i + 1);
    one.number = i + 1;
    one.job.job = "job";
    one.job.queue = "all";
    one.job.groups[0].request.gpu =
        model::GpuRequest::whole(rng.chance(1, 4) ? 8 : static_cast<int>(rng.between(1, 3)));
    one.run = kMinute * rng.between(5, 60);
    one.job.time = kMinute * 90;
    one.submit = now;
    now = now + kMinute * rng.between(0, 15);
    history.jobs.push_back(one);
  }
  return history;
}

// What a system with this policy would have written.
History lived(const std::string& policy) {
  History history = random_jobs();
  const ReplayInput input = input_of(history, policy);
  const auto result = replay(input);
  EXPECT_TRUE(result);
  for (const JobRun& run : result->jobs) {
    history.jobs[run.job].start = run.first_start;
    history.jobs[run.job].end = run.end;
  }
  return history;
}

Observed compare(const History& history, const std::string& policy) {
  const auto span = span_of(history);
  EXPECT_TRUE(span);
  const ReplayInput input = input_of(from_span(history, *span, {}), policy);
  const auto result = replay(input);
  EXPECT_TRUE(result) << result.error().message;
  return compare_observed(input, *result,
                          {.span = *span, .turnaround = {}, .resolution = base::Duration{1000}});
}

TEST(Observed, TheSamePolicyIsValidated) {
  const Observed found = compare(lived("fifo"), "fifo");
  EXPECT_TRUE(found.validated());
  EXPECT_GT(found.compared, 250);
  EXPECT_GT(found.observed.wait_s.p50, 600);
  EXPECT_EQ(found.observed.wait_s.p50, found.replayed.wait_s.p50);
  EXPECT_EQ(found.observed.wait_s.p90, found.replayed.wait_s.p90);
  EXPECT_EQ(found.observed.utilisation, found.replayed.utilisation);
}

TEST(Observed, AnotherPolicyIsNot) {
  const Observed found = compare(lived("fifo"), "easy");
  EXPECT_FALSE(found.validated());
  EXPECT_FALSE(found.p50_is_close);
}

// Accounting from some day on: jobs that had ended before are not there, those that ran or waited
// then are, and the replay must not start these on GPUs that others held.
TEST(Observed, ADumpThatBeginsInTheMiddle) {
  History history = lived("fifo");
  const base::Time day = kStart + kMinute * 1200;
  std::erase_if(history.jobs, [&](const HistoricJob& one) { return one.end < day; });
  const Observed found = compare(history, "fifo");
  EXPECT_GE(found.span.from, day);
  EXPECT_GT(found.began_before, 10);
  EXPECT_EQ(found.compared + found.began_before, static_cast<std::int64_t>(history.jobs.size()));
  EXPECT_TRUE(found.validated());
  EXPECT_EQ(found.observed.wait_s.p90, found.replayed.wait_s.p90);
}

TEST(Observed, WhatCannotBeComparedIsCounted) {
  History history = lived("fifo");
  for (std::size_t i = 100; i < 110; ++i) history.jobs[i].restarts = 1;
  for (std::size_t i = 110; i < 113; ++i) history.jobs[i].job.after = {{.job = 1}};
  history.jobs[120].job.groups[0].request.gpu = {};
  history.jobs[121].job.groups[0].request.gpu = model::GpuRequest::whole(16);  // on one node
  const std::int64_t before = compare(lived("fifo"), "fifo").compared;
  const Observed found = compare(history, "fifo");
  EXPECT_EQ(found.requeued, 10);
  EXPECT_EQ(found.dependent, 3);
  EXPECT_EQ(found.without_gpus, 1);
  EXPECT_EQ(found.cannot_run, 1);
  EXPECT_EQ(found.compared, before - 15);
}

// A node of one job at a time, 7 s from each end to the next start; one start was late.
TEST(Observed, TurnaroundIsMeasured) {
  History history;
  base::Time now = kStart;
  for (int i = 0; i < 40; ++i) {
    HistoricJob one = random_jobs().jobs[0];
    one.submit = kStart;
    one.start = now + base::Duration{i == 20 ? 600'000 : 7000};
    one.run = kMinute * 10;
    one.end = now = one.start + one.run;
    one.nodes = 1;
    one.node_names = "n1";
    history.jobs.push_back(one);
  }
  EXPECT_EQ(turnaround_of(history), base::Duration{7000});
  EXPECT_EQ(turnaround_of(random_jobs()), base::Duration{0});
}

// A system that needs a minute from each end to the next start is replayed as such.
TEST(Observed, TurnaroundIsReplayedAndDoesNotCountAsUse) {
  History slow = random_jobs();
  for (HistoricJob& one : slow.jobs) one.run += kMinute;
  const auto lived_slow = replay(input_of(slow, "fifo"));
  ASSERT_TRUE(lived_slow);
  History history = random_jobs();
  for (const JobRun& run : lived_slow->jobs) {
    history.jobs[run.job].start = run.first_start;
    history.jobs[run.job].end = run.end;
  }
  const Span span{.from = kStart, .to = history.jobs.back().submit};
  const ReplayInput input = input_of(from_span(history, span, kMinute), "fifo");
  const auto result = replay(input);
  ASSERT_TRUE(result);
  const Observed found = compare_observed(
      input, *result, {.span = span, .turnaround = kMinute, .resolution = base::Duration{1000}});
  EXPECT_EQ(found.compared, 300);
  EXPECT_EQ(found.observed.wait_s.p90, found.replayed.wait_s.p90);
  EXPECT_DOUBLE_EQ(found.observed.utilisation, found.replayed.utilisation);
  double used = 0;
  for (const HistoricJob& one : history.jobs) {
    const base::Time end = std::min(span.to, one.start + one.run);
    if (end > one.start) {
      used += static_cast<double>(model::gpus_of(one.job)) *
              static_cast<double>(base::between(one.start, end).value());
    }
  }
  EXPECT_DOUBLE_EQ(found.observed.utilisation,
                   used / 16 / static_cast<double>(base::between(span.from, span.to).value()));
}

TEST(Observed, AFewJobsProveNothing) {
  History history = lived("fifo");
  history.jobs.resize(20);
  const Observed found = compare(history, "fifo");
  EXPECT_TRUE(found.p50_is_close && found.p90_is_close);
  EXPECT_FALSE(found.validated());
}

TEST(Observed, AHistoryWithoutTimesIsRefused) {
  EXPECT_FALSE(span_of(random_jobs()));
  EXPECT_FALSE(span_of(History{}));
}

}  // namespace
}  // namespace headroom::simulate
