// What lists, timelines and usage say after a story of records.
#include "store/projection.h"

#include "store/reader.h"
#include "store/sqlite_store.h"
#include "store/store_contract_test.h"
#include "store/temporary_folder_test.h"

namespace headroom::store {
namespace {

using Outcome = model::AllocationEnded::Outcome;
using StopReason = model::StopJob::Reason;
using What = TimelineEntry::What;

constexpr std::int64_t kMinute = 60'000;

// So many minutes after the story begins.
base::Time minute(std::int64_t n) { return base::Time{1'764'500'000'000 + n * kMinute}; }

class ProjectionTest : public testing::Test {
 protected:
  ProjectionTest() {
    store_ = std::move(*open_sqlite_store(folder_.path()));
    Batch first = first_batch();
    first.snapshot->time = now_;
    EXPECT_TRUE(store_->commit(first));
    reader_ = std::move(*Reader::open(folder_.path()));
  }

  void at(std::int64_t minutes) { now_ = minute(minutes); }
  void record(std::variant<model::Event, model::Decision> what) {
    const auto done = store_->commit({.records = {{++sequence_, now_, std::move(what)}}});
    ASSERT_TRUE(done) << done.error().message;
  }
  void event(model::Event what) { record(std::move(what)); }
  void decision(model::Decision what) { record(std::move(what)); }

  static model::Job job(std::int64_t tasks, int gpus) {
    model::Job made{.job = "train", .queue = "a/x", .user = "ana"};
    made.groups = {
        {.name = "",
         .tasks = tasks,
         .request = {.cpu = base::CpuMilli{2000},
                     .gpu = gpus > 0 ? model::GpuRequest::whole(gpus) : model::GpuRequest{}}}};
    return made;
  }
  void submit(std::int64_t number, const model::Job& job) {
    event(model::JobSubmitted{{number, -1}, job, {}, {}});
  }
  // Tasks of one GPU each: task i on node i / 8.
  void start(std::int64_t number, std::int64_t attempt, std::int64_t from, std::int64_t to) {
    model::Placement placement;
    for (std::int64_t i = from; i < to; ++i) {
      placement.push_back({0,
                           i,
                           model::NodeId{static_cast<std::size_t>(i / 8)},
                           {{static_cast<int>(i % 8), base::kWholeGpu}}});
    }
    decision(model::StartJob{{{number, -1}, attempt}, placement});
  }
  void started(std::int64_t number, std::int64_t attempt) {
    event(model::AllocationStarted{{{number, -1}, attempt}});
  }
  void end(std::int64_t number, std::int64_t attempt, Outcome outcome, std::int64_t code = 0) {
    event(model::AllocationEnded{
        .id = {{number, -1}, attempt}, .outcome = outcome, .exit_code = code});
  }

  JobRow row(std::int64_t number, std::int64_t element = -1) {
    return **reader_->job({number, element});
  }
  std::vector<What> timeline(std::int64_t number) {
    std::vector<What> found;
    const auto line = reader_->timeline({number, -1});
    for (const TimelineEntry& one : *line) found.push_back(one.what);
    return found;
  }
  // In GPU-minutes, of everything until then.
  UsageParts parts(std::int64_t until) {
    UsageParts sum;
    const auto usage = reader_->usage({.from = minute(0), .to = minute(until)});
    EXPECT_TRUE(usage) << usage.error().message;
    if (!usage->rows.empty()) sum = usage->rows.front().parts;
    for (std::int64_t* part : {&sum.allocated, &sum.useful, &sum.preempted, &sum.failed,
                               &sum.cancelled, &sum.idle_held, &sum.running, &sum.cpu_allocated}) {
      *part /= 1000 * kMinute;
    }
    return sum;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
  base::Time now_ = minute(0);
  std::uint64_t sequence_ = 0;
};

TEST_F(ProjectionTest, AJobFromItsSubmissionToItsEnd) {
  at(1);
  submit(7, job(10, 1));
  JobRow seen = row(7);
  EXPECT_EQ(seen.state, JobState::kWaiting);
  EXPECT_EQ(seen.name, "train");
  EXPECT_EQ(seen.queue, "a/x");
  EXPECT_EQ(seen.gpus, base::GpuMilli{10'000});
  EXPECT_EQ(seen.submitted, minute(1));
  EXPECT_EQ((*reader_->spec({7, -1}))->groups, job(10, 1).groups);
  at(2);
  start(7, 1, 0, 10);
  seen = row(7);
  EXPECT_EQ(seen.state, JobState::kLaunching);
  EXPECT_EQ(seen.nodes, (std::vector<std::string>{"n0", "n1"}));
  EXPECT_EQ(seen.gpu_model, "H100-SXM");
  EXPECT_EQ(seen.started, base::Time{0});
  at(3);
  started(7, 1);
  EXPECT_EQ(row(7).state, JobState::kRunning);
  EXPECT_EQ(row(7).started, minute(3));
  EXPECT_EQ(parts(5),
            (UsageParts{.allocated = 30, .idle_held = 10, .running = 20, .cpu_allocated = 60}));
  at(13);
  end(7, 1, Outcome::kCompleted);
  seen = row(7);
  EXPECT_EQ(seen.state, JobState::kCompleted);
  EXPECT_EQ(seen.ended, minute(13));
  EXPECT_EQ(seen.nodes.size(), 2U);
  EXPECT_EQ(timeline(7), (std::vector<What>{What::kSubmitted, What::kPlaced, What::kStarted,
                                            What::kAttemptEnded, What::kFinished}));
  EXPECT_EQ(parts(60),
            (UsageParts{.allocated = 110, .useful = 100, .idle_held = 10, .cpu_allocated = 220}));
  const auto attempts = *reader_->allocations({7, -1});
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts.front().outcome, AttemptOutcome::kCompleted);
  EXPECT_EQ(attempts.front().nodes.size(), 10U);
  EXPECT_EQ(attempts.front().nodes.back(), "n1");
}

// An engine repeats its reports to a server that was started again.
TEST_F(ProjectionTest, AJobThatIsSaidToStartAgainKeepsItsStart) {
  submit(7, job(1, 1));
  start(7, 1, 0, 1);
  at(2);
  started(7, 1);
  const JobRow before = row(7);
  at(9);
  started(7, 1);
  EXPECT_EQ(row(7).started, minute(2));
  EXPECT_EQ(row(7).changed, before.changed);
}

TEST_F(ProjectionTest, WhatPreemptionCostsIsTheWorkSinceTheLastCheckpoint) {
  model::Job asked = job(1, 1);
  asked.checkpoint = model::CheckpointSpec{.every = base::Duration{10 * kMinute}};
  submit(1, asked);
  start(1, 1, 0, 1);
  started(1, 1);
  at(34);
  decision(model::StopJob{{{1, -1}, 1}, StopReason::kReclaimed, {9, -1}});
  EXPECT_EQ(row(1).state, JobState::kStopping);
  at(36);
  end(1, 1, Outcome::kStopped);
  EXPECT_EQ(row(1).state, JobState::kWaiting);
  EXPECT_EQ(row(1).stopped, StopReason::kReclaimed);
  EXPECT_TRUE(row(1).nodes.empty());
  EXPECT_EQ(
      parts(60),
      (UsageParts{
          .allocated = 36, .useful = 30, .preempted = 4, .idle_held = 2, .cpu_allocated = 72}));
  // Half of it, cut through the middle of the kept work: 20 to 34 of the run.
  const auto usage = *reader_->usage({.from = minute(20), .to = minute(35)});
  EXPECT_EQ(usage.rows.front().parts.useful, 10 * 1000 * kMinute);
  EXPECT_EQ(usage.rows.front().parts.preempted, 4 * 1000 * kMinute);
  EXPECT_EQ(usage.rows.front().parts.idle_held, 1 * 1000 * kMinute);
  const auto attempts = *reader_->allocations({1, -1});
  EXPECT_EQ(attempts.front().for_whom, (model::JobId{9, -1}));
}

TEST_F(ProjectionTest, FailuresRetriesAndTimeLimits) {
  model::Job asked = job(1, 1);
  asked.retries = 1;
  submit(1, asked);
  submit(2, job(1, 1));
  start(1, 1, 0, 1);
  started(1, 1);
  at(10);
  end(1, 1, Outcome::kFailed, 3);
  EXPECT_EQ(row(1).state, JobState::kWaiting);
  EXPECT_EQ(row(1).exit_code, 3);
  start(1, 2, 0, 1);
  EXPECT_EQ(row(1).attempt, 2);
  EXPECT_EQ(row(1).exit_code, 0);
  start(2, 1, 1, 2);
  started(2, 1);
  at(15);
  end(1, 2, Outcome::kFailed, 4);  // it never ran: its GPU was held for nothing
  EXPECT_EQ(row(1).state, JobState::kFailed);
  at(20);
  end(2, 1, Outcome::kTimedOut);
  EXPECT_EQ(row(2).state, JobState::kTimedOut);
  EXPECT_EQ(parts(60),
            (UsageParts{.allocated = 25, .failed = 20, .idle_held = 5, .cpu_allocated = 50}));
}

TEST_F(ProjectionTest, CancelledWhileItWaitsRunsOrStops) {
  for (std::int64_t number = 1; number <= 3; ++number) submit(number, job(1, 1));
  event(model::JobCancelled{{1, -1}, "ben"});
  EXPECT_EQ(row(1).state, JobState::kCancelled);
  start(2, 1, 0, 1);
  started(2, 1);
  start(3, 1, 1, 2);
  at(10);
  event(model::JobCancelled{{2, -1}, "ana"});
  EXPECT_EQ(row(2).state, JobState::kStopping);
  EXPECT_EQ(row(2).stopped, StopReason::kCancelled);
  decision(model::StopJob{{{3, -1}, 1}, StopReason::kPreempted, {}});
  event(model::JobCancelled{{3, -1}, "ana"});
  at(12);
  end(2, 1, Outcome::kStopped);
  event(model::AllocationLost{{{3, -1}, 1}});
  EXPECT_EQ(row(2).state, JobState::kCancelled);
  EXPECT_EQ(row(3).state, JobState::kCancelled);
  EXPECT_EQ(parts(60),
            (UsageParts{.allocated = 24, .cancelled = 10, .idle_held = 14, .cpu_allocated = 48}));
  EXPECT_EQ(timeline(1), (std::vector<What>{What::kSubmitted, What::kCancelled, What::kFinished}));
}

TEST_F(ProjectionTest, ElementsOfAnArrayAreRowsThatShareOneSpec) {
  model::Job asked = job(1, 1);
  asked.array = model::ArraySpec{.first = 5, .last = 8};
  submit(4, asked);
  const auto page = *reader_->jobs({.number = 4});
  ASSERT_EQ(page.jobs.size(), 4U);
  EXPECT_EQ(page.jobs.front().id, (model::JobId{4, 5}));
  EXPECT_EQ((*reader_->spec({4, 8}))->array, asked.array);
  event(model::JobHeld{{4, 6}, true});
  EXPECT_EQ(row(4, 6).state, JobState::kHeld);
  asked.priority = 9;
  event(model::JobChanged{{4, 6}, asked});
  EXPECT_EQ(row(4, 6).priority, 9);
  EXPECT_EQ(row(4, 7).priority, 0);
  event(model::JobHeld{{4, 6}, false});
  EXPECT_EQ(row(4, 6).state, JobState::kWaiting);
}

TEST_F(ProjectionTest, TasksThatAreLostOrJoinChangeWhatIsHeld) {
  submit(1, job(10, 1));
  start(1, 1, 0, 10);
  started(1, 1);
  at(10);
  event(model::NodeFailed{model::NodeId{1}, "fan"});  // two of the ten
  at(20);
  event(model::NodeRecovered{model::NodeId{1}});
  start(1, 1, 8, 10);
  at(30);
  event(model::TaskEnded{{{1, -1}, 1}, 0, 0});
  at(40);
  end(1, 1, Outcome::kCompleted);
  EXPECT_EQ(parts(60),
            (UsageParts{.allocated = 100 + 80 + 100 + 90, .useful = 370, .cpu_allocated = 740}));
  const auto usage = *reader_->usage({.from = minute(0), .to = minute(40)});
  ASSERT_EQ(usage.capacity.size(), 1U);
  EXPECT_EQ(usage.capacity.front().capacity, 16 * 40 * 1000 * kMinute);
  EXPECT_EQ(usage.capacity.front().down, 8 * 10 * 1000 * kMinute);
  EXPECT_EQ(timeline(1),
            (std::vector<What>{What::kSubmitted, What::kPlaced, What::kStarted, What::kTasksLost,
                               What::kTasksJoined, What::kAttemptEnded, What::kFinished}));
}

TEST_F(ProjectionTest, NodesThatComeChangeAndGoAreCountedWhileTheyAreThere) {
  at(10);
  model::NodeShape shape = sample_cluster().shapes.front();
  event(model::NodeAdded{"n2", shape});
  at(20);
  shape.gpus = 4;
  event(model::NodeChanged{model::NodeId{2}, shape});
  at(30);
  event(model::NodeRemoved{model::NodeId{2}});
  const auto usage = *reader_->usage({.from = minute(0), .to = minute(60)});
  EXPECT_EQ(usage.capacity.front().capacity, (16 * 60 + 8 * 10 + 4 * 10) * 1000 * kMinute);
  EXPECT_EQ(usage.capacity.front().node_time, (2 * 60 + 20) * kMinute);
}

TEST_F(ProjectionTest, RejectionAndReservation) {
  submit(1, job(99, 1));
  submit(2, job(1, 1));
  decision(model::RejectJob{{1, -1}, model::RejectJob::Reason::kTooLargeForTheCluster, 99, 16});
  EXPECT_EQ(row(1).state, JobState::kRejected);
  EXPECT_EQ(row(1).needs, 99);
  EXPECT_EQ(row(1).most, 16);
  decision(model::ReserveFor{.job = {2, -1}, .start = base::Time{5}});
  EXPECT_EQ(row(2).planned, base::Time{5});
  decision(model::ReserveFor{.job = {2, -1}, .start = base::Time{8}, .slipped = true});
  EXPECT_EQ((*reader_->timeline({2, -1}))[1], (TimelineEntry{now_, What::kSlipped, 0, "8"}));
  start(2, 1, 0, 1);
  EXPECT_EQ(row(2).planned, base::Time{0});
}

TEST_F(ProjectionTest, UsageByQueueUserKindAndGpu) {
  for (std::int64_t number = 1; number <= 4; ++number) {
    model::Job asked = job(1, number == 4 ? 0 : 1);
    asked.user = number % 2 == 0 ? "ben" : "ana";
    asked.queue = number == 3 ? "b" : "a";
    asked.kind = number == 1 ? model::JobKind::kTraining : model::JobKind::kBatch;
    submit(number, asked);
  }
  for (std::int64_t number = 1; number <= 3; ++number) start(number, 1, number, number + 1);
  decision(model::StartJob{{{4, -1}, 1}, {{0, 0, model::NodeId{0}, {}}}});
  const auto keys = [&](UsageQuery query) {
    query.from = minute(0);
    query.to = minute(10);
    std::string text;
    const auto usage = reader_->usage(query);
    for (const UsageRow& one : usage->rows) {
      text += one.queue + "," + one.user + "," +
              (one.kind ? std::to_string(static_cast<int>(*one.kind)) : "") + "," + one.gpu_model +
              "," + std::to_string(one.parts.allocated / 1000 / kMinute) + ";";
    }
    return text;
  };
  EXPECT_EQ(keys({}), ",,,,30;");
  EXPECT_EQ(keys({.by_queue = true}), "a,,,,20;b,,,,10;");
  EXPECT_EQ(keys({.by_user = true}), ",ana,,,20;,ben,,,10;");
  EXPECT_EQ(keys({.by_kind = true}), ",,0,,10;,,2,,20;");
  EXPECT_EQ(keys({.by_gpu_model = true}), ",,,,0;,,,H100-SXM,30;");
  EXPECT_EQ(keys({.by_queue = true, .by_user = true}), "a,ana,,,10;a,ben,,,10;b,ana,,,10;");
}

TEST_F(ProjectionTest, ANodeThatNobodyNamedIsAnError) {
  submit(1, job(1, 1));
  const auto done = store_->commit(
      {.records = {{2, now_,
                    model::Decision{model::StartJob{
                        {{1, -1}, 1}, {{0, 0, model::NodeId{9}, {{0, base::kWholeGpu}}}}}}}}});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("record 2: node 9 is not known"), std::string::npos);
}

}  // namespace
}  // namespace headroom::store
