// Nodes and queues that come, change and go while jobs run and wait.
#include <gtest/gtest.h>

#include "model/archive.h"
#include "schedule/placements.h"
#include "schedule/policies.h"
#include "schedule/scheduler.h"
#include "schedule/snapshot.h"

namespace headroom::schedule {
namespace {

model::NodeShape shape_of(int gpus, const std::string& pool = "h100") {
  return {.pool = pool,
          .cpu = base::CpuMilli{96'000},
          .memory = base::gibibytes(1024),
          .gpu_model = model::GpuModelId{0},
          .gpus = gpus,
          .mig = true};
}

std::shared_ptr<const model::Cluster> two_nodes() {
  model::Cluster made;
  made.gpu_models.push_back({.name = "H100-SXM", .memory = base::gibibytes(80), .mig_slices = 8});
  const model::ShapeId shape = made.intern_shape(shape_of(8));
  made.nodes = {{"n0", shape}, {"n1", shape}};
  return std::make_shared<const model::Cluster>(made);
}

class ChangesCluster : public testing::Test {
 protected:
  explicit ChangesCluster(const std::string& policy = "headroom")
      : state_(two_nodes(), std::make_shared<const QueueTree>(
                                std::vector<model::Queue>{{.name = "b", .guarantee = {{"h100", 8}}},
                                                          {.name = "d"}},
                                pool_names(*two_nodes()))),
        scheduler_(state_, make_policy(policy), make_placement("headroom", *two_nodes(), {})) {}

  std::string refusal(const model::Event& event) {
    const std::uint64_t before = state_.digest();
    const auto found = check(state_, event);
    EXPECT_EQ(state_.digest(), before);
    return found ? "accepted" : found.error().message;
  }
  void record(const model::Event& event) {
    ASSERT_EQ(refusal(event), "accepted");
    apply(state_, {.sequence = ++sequence_, .time = now_, .what = event});
  }
  void submit(const std::string& queue, std::int64_t tasks, int gpus) {
    model::Job job{.job = "train", .queue = queue, .user = "ana"};
    job.groups = {{.tasks = tasks, .request = {.gpu = model::GpuRequest::whole(gpus)}}};
    record(model::JobSubmitted{{++number_, -1}, job, {}, {}});
    scheduler_.arrived(number_);
  }
  void cycle() {
    now_ = now_ + base::Duration{1000};
    record(model::Cycle{});
    for (const model::Decision& one : scheduler_.decide().decisions) {
      if (const auto* no = std::get_if<model::RejectJob>(&one)) rejected_.push_back(*no);
      apply(state_, {.sequence = ++sequence_, .time = now_, .what = one});
    }
  }
  const JobEntry& job(std::int64_t number) { return state_.job(state_.find({number, -1})); }
  QueueId queue(const std::string& name) { return state_.queues().find(name); }
  void expect_round_trip() {
    const auto read = read_state(write_state(state_));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->digest(), state_.digest());
    const PoolId pool{0};
    EXPECT_EQ(read->capacity(pool), state_.capacity(pool));
    EXPECT_EQ(read->cluster().free_gpu(), state_.cluster().free_gpu());
    for (std::size_t q = 0; q < state_.queues().size(); ++q) {
      EXPECT_EQ(read->held(QueueId{q}, pool), state_.held(QueueId{q}, pool));
      EXPECT_EQ(read->wanted(QueueId{q}, pool), state_.wanted(QueueId{q}, pool));
      EXPECT_EQ(read->user_totals(QueueId{q}, "ana").gpu_milli,
                state_.user_totals(QueueId{q}, "ana").gpu_milli);
      EXPECT_EQ(read->user_totals(QueueId{q}, "ana").waiting,
                state_.user_totals(QueueId{q}, "ana").waiting);
    }
  }

  State state_;
  Scheduler scheduler_;
  base::Time now_{1000};
  std::uint64_t sequence_ = 0;
  std::int64_t number_ = 0;
  std::vector<model::RejectJob> rejected_;
};

TEST_F(ChangesCluster, AnAddedNodeTakesWaitingWorkInTheNextCycle) {
  submit("b", 2, 8);
  submit("d", 1, 8);
  cycle();
  cycle();
  EXPECT_EQ(job(2).status, JobStatus::kWaiting);
  record(model::NodeAdded{"n2", shape_of(8)});
  EXPECT_EQ(state_.capacity(PoolId{0}), 24'000);
  cycle();
  ASSERT_EQ(job(2).status, JobStatus::kRunning);
  const AllocationId task{static_cast<std::size_t>(job(2).first_task)};
  EXPECT_EQ(state_.cluster().allocation(task).node, model::NodeId{2});
  expect_round_trip();
}

// A shape that no request was resolved for.
TEST_F(ChangesCluster, AJobThatFitsOnlyTheNewShapeStarts) {
  submit("d", 1, 12);
  EXPECT_TRUE(job(1).spec->pools.empty());
  record(model::NodeAdded{"n2", shape_of(16)});
  ASSERT_EQ(job(1).spec->pools.size(), 1u);
  EXPECT_EQ(state_.wanted(queue("d"), PoolId{0}), 12'000);
  cycle();
  EXPECT_EQ(job(1).status, JobStatus::kRunning);
  expect_round_trip();
}

TEST_F(ChangesCluster, ANodeIsChangedAndRemovedWhenNothingRunsThere) {
  submit("b", 1, 8);
  cycle();
  const model::NodeId busy =
      state_.cluster().allocation(AllocationId{static_cast<std::size_t>(job(1).first_task)}).node;
  const model::NodeId idle{1 - busy.index()};
  EXPECT_NE(refusal(model::NodeRemoved{busy}).find("1 tasks run there"), std::string::npos);
  EXPECT_NE(refusal(model::NodeChanged{busy, shape_of(4)}).find("1 tasks run there"),
            std::string::npos);
  record(model::NodeChanged{idle, shape_of(4)});
  EXPECT_EQ(state_.capacity(PoolId{0}), 12'000);
  submit("d", 1, 4);
  record(model::NodeRemoved{idle});
  EXPECT_EQ(state_.capacity(PoolId{0}), 8'000);
  cycle();
  EXPECT_EQ(job(2).status, JobStatus::kWaiting);
  for (const model::Event& event :
       {model::Event{model::NodeRemoved{idle}}, model::Event{model::NodeDrained{idle, "", false}},
        model::Event{model::NodeFailed{idle, ""}}}) {
    EXPECT_EQ(refusal(event), "there is no such node");
  }
  expect_round_trip();
  const std::string name = busy.index() == 0 ? "n1" : "n0";  // free again
  record(model::NodeAdded{name, shape_of(8)});
  cycle();
  EXPECT_EQ(job(2).status, JobStatus::kRunning);
  expect_round_trip();
}

// A node that failed or is drained comes back; one that was removed does not.
TEST_F(ChangesCluster, WhatOnlyARemovedNodeCouldRunIsRejected) {
  record(model::NodeAdded{"n2", shape_of(16)});
  record(model::NodeDrained{model::NodeId{2}, "", true});
  submit("d", 1, 12);
  submit("d", 1, 12);
  record(model::JobHeld{{2, -1}, true});
  submit("d", 1, 8);
  record(model::NodeFailed{model::NodeId{2}, ""});
  cycle();
  EXPECT_EQ(job(1).status, JobStatus::kWaiting);
  record(model::NodeRemoved{model::NodeId{2}});
  cycle();
  EXPECT_EQ(state_.outcome(1), JobOutcome::kRejected);
  EXPECT_EQ(state_.outcome(2), JobOutcome::kRejected) << "also while it is held";
  EXPECT_EQ(job(3).status, JobStatus::kRunning);
  ASSERT_EQ(rejected_.size(), 2u);
  EXPECT_EQ(rejected_[0].reason, model::RejectJob::Reason::kTooLargeForAnyNode);
  EXPECT_EQ(rejected_[0].needs, 12);
  EXPECT_EQ(rejected_[0].most, 8) << "of the nodes that are left";
}

TEST_F(ChangesCluster, WhatRanIsLookedAtWhenItWaitsAgain) {
  record(model::NodeAdded{"n2", shape_of(16)});
  submit("d", 1, 12);
  cycle();
  ASSERT_EQ(job(1).status, JobStatus::kRunning);
  record(model::NodeFailed{model::NodeId{2}, ""});  // it loses its task, and is not queued yet
  record(model::NodeRemoved{model::NodeId{2}});
  cycle();
  EXPECT_EQ(job(1).status, JobStatus::kRunning);
  record(model::AllocationLost{{{1, -1}, 1}});
  cycle();
  EXPECT_EQ(state_.outcome(1), JobOutcome::kRejected);
}

TEST_F(ChangesCluster, WhatAQueueNoLongerAllowsIsRejected) {
  submit("d", 1, 8);
  submit("d", 1, 8);
  submit("d", 1, 8);
  cycle();
  ASSERT_EQ(job(3).status, JobStatus::kWaiting);
  record(model::QueueChanged{{.name = "d", .limit = {{"h100", 4}}}});
  cycle();
  EXPECT_EQ(job(1).status, JobStatus::kRunning) << "what runs goes on";
  EXPECT_EQ(state_.outcome(3), JobOutcome::kRejected);
}

// Cells count as GPUs in the tree, and go on to when queues or nodes change.
TEST_F(ChangesCluster, CellsAreKeptAndCheckedWhenQueuesAndNodesChange) {
  const auto cells = [](std::int64_t count, const std::string& pool = "h100") {
    return std::vector<model::CellGuarantee>{{pool, model::Level::kNode, count}};
  };
  record(model::QueueChanged{{.name = "b", .cells = cells(1)}});
  record(model::QueueChanged{{.name = "d", .weight = 2}});
  const auto promised = [&] { return state_.queues()[queue("b")].guarantee[0]; };
  EXPECT_EQ(promised(), 8'000);
  expect_round_trip();
  for (const std::size_t node : {0u, 1u}) {
    record(model::NodeChanged{model::NodeId{node}, shape_of(4)});
  }
  EXPECT_EQ(promised(), 4'000);
  expect_round_trip();
  const auto change = [&](const model::Queue& queue) {
    return refusal(model::QueueChanged{queue});
  };
  EXPECT_EQ(change({.name = "d", .cells = cells(3)}),
            "queue 'd': cells: 3 is not in 0..2: pool 'h100' has no more such domains");
  EXPECT_EQ(change({.name = "d", .cells = cells(2)}),
            "queue 'd': guarantee.h100: 8 and 4 of the queues beside it are more than the 8 that "
            "the pool has");
  EXPECT_EQ(change({.name = "d", .guarantee = {{"h100", 1}}, .cells = cells(1)}),
            "queue 'd': cells: the guarantee of pool 'h100' is given in GPUs already");
  EXPECT_EQ(change({.name = "d", .cells = cells(1, "cpu")}),
            "queue 'd': cells: pool 'cpu' has no GPUs");
  EXPECT_EQ(change({.name = "d", .cells = cells(1)}), "accepted");
}

TEST_F(ChangesCluster, RefusesNodesThatItCannotKnow) {
  EXPECT_EQ(refusal(model::NodeAdded{"n1", shape_of(8)}),
            "node n1: there is a node of that name already");
  EXPECT_EQ(refusal(model::NodeAdded{"", shape_of(8)}), "a node has a name");
  EXPECT_EQ(refusal(model::NodeAdded{"x", shape_of(17)}), "node x: gpus: 17 is not in 0..16");
  EXPECT_EQ(refusal(model::NodeAdded{"x", shape_of(8, "a100")}),
            "node x: pool 'a100' is not known; a new pool needs a restart");
  model::NodeShape other = shape_of(8);
  other.gpu_model = model::GpuModelId{1};
  EXPECT_EQ(refusal(model::NodeAdded{"x", other}),
            "node x: its GPU model is not known; a new model needs a restart");
  EXPECT_EQ(refusal(model::NodeChanged{model::NodeId{7}, shape_of(8)}), "there is no such node");
}

// The first by name, so that all the others get another number.
TEST_F(ChangesCluster, WhatQueuesHoldMovesWithTheirNames) {
  submit("b", 1, 8);
  submit("d", 1, 4);
  cycle();
  submit("d", 2, 8);
  const PoolId pool{0};
  for (int i = 0; i < 100; ++i) cycle();
  const std::int64_t used = state_.used(queue("d"), pool);
  EXPECT_GT(used, 0);
  record(model::QueueChanged{{.name = "a", .weight = 3}});
  record(model::QueueChanged{{.name = "c", .guarantee = {{"h100", 8}}}});
  record(model::QueueChanged{{.name = "c/x", .guarantee = {{"h100", 8}}}});
  EXPECT_EQ(queue("d"), QueueId{4});
  EXPECT_EQ(state_.held(queue("b"), pool), 8'000);
  EXPECT_EQ(state_.held(queue("d"), pool), 4'000);
  EXPECT_EQ(state_.held(queue("a"), pool), 0);
  EXPECT_EQ(state_.wanted(queue("d"), pool), 16'000);
  EXPECT_EQ(state_.used(queue("d"), pool), used);
  EXPECT_EQ(state_.waiting(queue("d")).size(), 1u);
  EXPECT_EQ(state_.user_totals(queue("d"), "ana").gpu_milli, 4'000);
  expect_round_trip();
  cycle();  // shares by queue are worked out for the new tree
  submit("c/x", 1, 4);
  cycle();
  EXPECT_EQ(state_.held(queue("c"), pool), 4'000);
  record(model::QueueChanged{.queue = {.name = "a"}, .removed = true});
  cycle();
  EXPECT_EQ(state_.held(queue("c"), pool), 4'000);
  expect_round_trip();
}

TEST_F(ChangesCluster, RefusesQueuesThatDoNotFitTheTree) {
  submit("b", 1, 8);
  const auto change = [&](const model::Queue& queue) {
    return refusal(model::QueueChanged{queue});
  };
  const auto remove = [&](const std::string& name) {
    return refusal(model::QueueChanged{.queue = {.name = name}, .removed = true});
  };
  EXPECT_EQ(change({.name = "x/y"}), "queue 'x/y': there is no queue 'x' above it");
  EXPECT_EQ(change({.name = "b/y"}),
            "queue 'b/y': queue 'b' has jobs; jobs are in queues without others below them");
  EXPECT_EQ(change({.name = "d", .guarantee = {{"h100", 9}}}),
            "queue 'd': guarantee.h100: 9 and 8 of the queues beside it are more than the 16 that "
            "the pool has");
  EXPECT_EQ(change({.name = "d/e", .guarantee = {{"h100", 1}}}),
            "queue 'd/e': guarantee.h100: 1 and 0 of the queues beside it are more than the 0 of "
            "queue 'd'");
  EXPECT_EQ(change({.name = "d", .guarantee = {{"h100", 4}}, .limit = {{"h100", 3}}}),
            "queue 'd': guarantee.h100: 4 is more than the limit of 3");
  EXPECT_EQ(change({.name = "d", .limit = {{"v100", 3}}}), "queue 'd': there is no pool 'v100'");
  EXPECT_EQ(change({.name = "d", .limit = {{"h100", -3}}}),
            "queue 'd': limit: a number is negative");
  EXPECT_EQ(change({.name = "d", .weight = 0}), "queue 'd': weight: it is at least 1");
  EXPECT_EQ(change({.name = "d//e"}),
            "queue 'd//e': a name is parts joined by '/', as in research/vision");
  EXPECT_EQ(remove("x"), "queue 'x': there is no such queue");
  EXPECT_EQ(remove("b"), "queue 'b': it has jobs; a queue is removed when it has none");
  model::ReservationChanged window{.nodes = {model::NodeId{0}}};
  window.window.name = "demo";
  window.window.queue = "d";
  window.window.end = base::Time{5000};
  record(window);
  EXPECT_EQ(remove("d"), "queue 'd': reservation demo is for it; remove that first");
  record(model::QueueChanged{{.name = "d/e"}});
  EXPECT_EQ(remove("d"), "queue 'd': it has queues below it; remove those first");
}

TEST_F(ChangesCluster, AGpuThatCouldNotBeCutLosesItsTasksAndItsNodeIsDrained) {
  submit("b", 8, 1);
  cycle();
  const AllocationId task{static_cast<std::size_t>(job(1).first_task)};
  const model::NodeId node = state_.cluster().allocation(task).node;
  record(model::RepartitionConfirmed{{.node = node, .gpu = 0}});
  EXPECT_EQ(job(1).running, 8);
  EXPECT_NE(refusal(model::RepartitionFailed{{.node = node, .gpu = 8}, "busy"}), "accepted");
  record(model::RepartitionFailed{{.node = node, .gpu = 3}, "busy"});
  EXPECT_EQ(job(1).running, 7);
  EXPECT_NE(job(1).degraded_since, kNever);
  EXPECT_FALSE(state_.cluster().node(node).schedulable);
  cycle();  // the lost member starts elsewhere
  EXPECT_EQ(job(1).running, 8);
  EXPECT_EQ(job(1).degraded_since, kNever);
  expect_round_trip();
}

class ChangesUnder : public ChangesCluster, public testing::WithParamInterface<std::string> {
 protected:
  ChangesUnder() : ChangesCluster(GetParam()) {}
};

// State by queue or node that a policy keeps must not outlive the change.
TEST_P(ChangesUnder, QueuesAndNodesComeAndGo) {
  submit("d", 1, 8);
  submit("b", 1, 8);
  submit("d", 1, 8);
  cycle();
  record(model::QueueChanged{{.name = "a"}});
  record(model::NodeAdded{"n2", shape_of(8)});
  submit("a", 1, 8);
  record(model::NodeAdded{"n3", shape_of(8)});
  cycle();
  EXPECT_EQ(job(3).status, JobStatus::kRunning);
  EXPECT_EQ(job(4).status, JobStatus::kRunning);
  EXPECT_EQ(state_.held(queue("d"), PoolId{0}), 16'000);
  expect_round_trip();
}

INSTANTIATE_TEST_SUITE_P(Policies, ChangesUnder, testing::ValuesIn(policy_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace headroom::schedule
