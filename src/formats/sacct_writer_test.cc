#include "formats/sacct_writer.h"

#include <filesystem>

#include "formats/history.h"

namespace headroom::formats {
namespace {

using model::HistoricJob;
using model::History;
using model::Outcome;

constexpr base::Duration kDay{86'400'000};

HistoricJob job() {
  HistoricJob one;
  one.id = "123_4";
  one.number = 123;
  one.element = 4;
  one.submit = base::Time{1'796'038'857'000};
  one.start = one.submit + base::Duration{60'000};
  one.end = one.start + kDay + base::Duration{1000};
  one.run = base::between(one.start, one.end);
  one.outcome = Outcome::kTimedOut;
  one.nodes = 2;
  one.node_names = "n[1-2]";
  one.restarts = 1;
  one.account = "research";
  one.partition = "gpu";
  one.qos = "normal";
  one.eligible = one.submit;
  one.job.job = "train";
  one.job.queue = "research";
  one.job.user = "ana";
  one.job.time = kDay;
  one.job.after = {{.kind = model::Dependency::Kind::kAny, .job = 99}};
  model::TaskGroup& group = one.job.groups[0];
  group.tasks = 2;
  group.request.gpu = model::GpuRequest::whole(8);
  group.request.cpu = base::CpuMilli{96'000};
  group.request.memory = base::gibibytes(512);
  group.request.gpu_models = {"H100-SXM", "H100-PCIe", "H100-NVL"};
  return one;
}

TEST(SacctWriter, WhatIsWrittenIsReadAgain) {
  History history;
  history.jobs.push_back(job());
  const auto again = read_history_text("again", write_sacct(history), HistoryFormat::kAuto, {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->jobs, history.jobs);
}

// As if nothing had waited: the trace itself does not tell when jobs ran. They end in all ways.
void let_run_at_once(History& history) {
  constexpr Outcome kEnds[] = {Outcome::kCompleted,  Outcome::kFailed,    Outcome::kCancelled,
                               Outcome::kTimedOut,   Outcome::kPreempted, Outcome::kNodeFailed,
                               Outcome::kOutOfMemory};
  std::size_t next = 0;
  for (HistoricJob& one : history.jobs) {
    one.outcome = kEnds[next++ % std::size(kEnds)];
    one.run = base::Duration{one.run.value() / 1000 * 1000 + 1000};
    one.start = one.submit = one.eligible = one.submit + kDay;
    one.end = one.start + one.run;
    one.nodes = (model::gpus_of(one.job) + 7) / 8;
    one.node_names = one.nodes > 1 ? "n[1-" + std::to_string(one.nodes) + "]" : "n1";
    one.account = one.job.queue;
    one.job.time = base::Duration{one.run.value() * 2};
  }
}

// Issue 4, S6: 90 days of the Philly-derived trace in sacct's form come back as they were.
TEST(SacctWriter, NinetyDaysOfTheTraceComeBack) {
  const std::string folder =
      std::string(HEADROOM_SOURCE_DIR) + "/../shared/data/traces/gavel/msr-seed0";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  auto history = read_history(folder, HistoryFormat::kAuto, {});
  ASSERT_TRUE(history) << history.error().message;
  std::erase_if(history->jobs, [](const HistoricJob& one) {
    return one.submit > base::Time{} + base::Duration{90 * kDay.value()};
  });
  ASSERT_GT(history->jobs.size(), 5000u);
  let_run_at_once(*history);
  const auto again = read_history_text("again", write_sacct(*history), HistoryFormat::kAuto, {});
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->jobs.size(), history->jobs.size());
  for (std::size_t i = 0; i < again->jobs.size(); ++i) {
    const HistoricJob& one = again->jobs[i];
    const HistoricJob& other = history->jobs[i];
    ASSERT_EQ(one.id, other.id);
    ASSERT_EQ(one.job.user, other.job.user);
    ASSERT_EQ(one.account, other.account);
    ASSERT_EQ(one.submit, other.submit);
    ASSERT_EQ(one.start, other.start);
    ASSERT_EQ(one.end, other.end);
    ASSERT_EQ(one.outcome, other.outcome);
    ASSERT_EQ(model::gpus_of(one.job), model::gpus_of(other.job));
    ASSERT_EQ(one.nodes, other.nodes);
    ASSERT_EQ(one.node_names, other.node_names);
    ASSERT_EQ(one.job.time, other.job.time);
  }
}

}  // namespace
}  // namespace headroom::formats
