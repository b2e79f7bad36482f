// Scenarios that users of schedulers reported as broken, each as what must hold instead. The
// numbers T1, T2, … are those of the collection they come from (docs/scheduling.md).
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/random_case.h"
#include "tests/world.h"

namespace headroom::tests {

namespace {

using Kind = schedule::Reason::Kind;

const std::vector<model::Queue> kOneQueue = {{.name = "q"}};

// T1. A gang of all nodes lands although small jobs keep coming: they run on what is kept for it
// only if they end before its start.
TEST(Scenario, T1_GangIsNotStarvedBySmallJobs) {
  World world(gpu_cluster(8), kOneQueue, "easy");
  std::vector<std::int64_t> small;
  for (int i = 0; i < 8; ++i) small.push_back(world.submit(job_of("q", 1, 8, 60 + 10 * i)));
  world.cycle();
  const std::int64_t gang = world.submit(job_of("q", 8, 8, 600));
  const std::int64_t behind = world.submit(job_of("q", 1, 8, 600));
  for (std::size_t i = 0; i < small.size(); ++i) {
    world.pass(i == 0 ? 60 : 10);
    world.finish(small[i]);
    world.cycle();
    EXPECT_FALSE(world.runs(behind)) << "it would hold a node for ten hours";
  }
  EXPECT_TRUE(world.runs(gang));
  EXPECT_EQ(world.now().value(), 130 * 60'000) << "when the last small job ended, not later";
}

// Under `headroom` a job gets a reservation when it has waited as long as it is expected to run.
TEST(Scenario, T1_GangThatHasWaitedItsOwnRunTimeIsNextInTurn) {
  World world(gpu_cluster(2), kOneQueue);
  const std::int64_t left = world.submit(job_of("q", 1, 8, 300));
  const std::int64_t right = world.submit(job_of("q", 1, 8, 600));
  world.cycle();
  const std::int64_t gang = world.submit(job_of("q", 2, 8, 120));
  world.pass(60);
  world.finish(left);
  const std::int64_t early = world.submit(job_of("q", 1, 8, 30));
  world.cycle();
  EXPECT_TRUE(world.runs(early)) << "the gang has waited for an hour only";
  world.pass(60);
  world.finish(early);
  const std::int64_t late = world.submit(job_of("q", 1, 8, 6000));
  world.cycle();
  EXPECT_FALSE(world.runs(late)) << "it would hold a node long after the gang could start";
  EXPECT_EQ(world.planned_start_minutes(gang), 600);
  world.finish(right);
  world.cycle();
  EXPECT_TRUE(world.runs(gang));
}

TEST(Scenario, T1_ShortJobRunsOnWhatIsKept) {
  World world(gpu_cluster(2), kOneQueue, "easy");
  const std::int64_t first = world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  const std::int64_t gang = world.submit(job_of("q", 2, 8, 600));
  const std::int64_t quick = world.submit(job_of("q", 1, 8, 50));
  world.cycle();
  EXPECT_TRUE(world.runs(first));
  EXPECT_TRUE(world.runs(quick)) << "it ends before the gang can start";
  EXPECT_EQ(world.planned_start_minutes(gang), 60);
}

// T2. A job that needs more than is free gets a reservation from the ends of running jobs.
TEST(Scenario, T2_ReservationFromExpectedEnds) {
  World world(gpu_cluster(4), kOneQueue, "easy");
  for (int i = 0; i < 4; ++i) world.submit(job_of("q", 1, 8, 30 + 30 * i));
  world.cycle();
  const std::int64_t three = world.submit(job_of("q", 3, 8, 60));
  world.submit(job_of("q", 1, 1, 6000));
  world.cycle();
  EXPECT_EQ(world.why(three).kind, Kind::kCapacity);
  // Nothing is free, so nobody could delay it, and no plan is needed yet.
  world.finish(1);
  world.cycle();
  EXPECT_EQ(world.planned_start_minutes(three), 90);
}

// T3. Of two gangs that both want everything, one gets all and the other holds nothing.
TEST(Scenario, T3_TwoGangsDoNotHoldEachOther) {
  World world(gpu_cluster(10), kOneQueue);
  const std::int64_t one = world.submit(job_of("q", 10, 8, 60));
  const std::int64_t other = world.submit(job_of("q", 10, 8, 60));
  world.cycle();
  EXPECT_EQ(world.running_tasks(one), 10);
  EXPECT_EQ(world.running_tasks(other), 0);
  world.finish(one);
  world.cycle();
  EXPECT_EQ(world.running_tasks(other), 10);
}

// T5. Two gangs that each lost a node are not left waiting for each other's: the first gets a spare
// node; the other, when its grace is over, gives back all it holds and keeps its age.
TEST(Scenario, T5_LostMembersAreReplacedOrTheGangIsReleased) {
  World world(gpu_cluster(5), kOneQueue);
  const std::int64_t one = world.submit(job_of("q", 2, 8, 600));
  const std::int64_t other = world.submit(job_of("q", 2, 8, 600));
  world.cycle();
  world.happen(
      model::NodeFailed{model::NodeId{static_cast<std::size_t>(world.nodes_of(one)[0])}, ""});
  world.happen(
      model::NodeFailed{model::NodeId{static_cast<std::size_t>(world.nodes_of(other)[0])}, ""});
  world.cycle();
  EXPECT_EQ(world.running_tasks(one), 2);
  EXPECT_EQ(world.running_tasks(other), 1);
  world.pass(5);
  world.cycle();
  EXPECT_EQ(world.entry(other).status, schedule::JobStatus::kStopping);
  world.happen(
      model::AllocationEnded{{{other, -1}, 1}, model::AllocationEnded::Outcome::kStopped, 0});
  world.cycle();
  EXPECT_EQ(world.running_tasks(other), 0);
  EXPECT_EQ(world.entry(other).queued_since.value(), 0) << "with the age it had";
}

// T6. A gang of which one task finds no place holds nothing, and others run.
TEST(Scenario, T6_InfeasibleGangHoldsNothing) {
  World world(gpu_cluster(9), kOneQueue);
  const std::int64_t blocker = world.submit(job_of("q", 1, 1, 60));
  world.cycle();
  const std::int64_t gang = world.submit(job_of("q", 9, 8, 60));
  std::vector<std::int64_t> others;
  for (int i = 0; i < 8; ++i) others.push_back(world.submit(job_of("q", 1, 8, 50)));
  world.cycle();
  EXPECT_TRUE(world.runs(blocker));
  EXPECT_EQ(world.running_tasks(gang), 0);
  for (const std::int64_t other : others) EXPECT_TRUE(world.runs(other));
}

// T7. No event lets a gang run with fewer tasks than it needs.
TEST(Scenario, T7_GangRunsWholeOrNotAtAll) {
  World world(gpu_cluster(2), kOneQueue);
  const std::int64_t other = world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  const std::int64_t gang = world.submit(job_of("q", 2, 8, 60));
  for (int cycle = 0; cycle < 5; ++cycle) {
    world.pass(1);
    world.cycle();
    EXPECT_EQ(world.running_tasks(gang), 0) << "one of its two tasks would fit";
  }
  world.finish(other);
  world.cycle();
  EXPECT_EQ(world.running_tasks(gang), 2);
}

TEST(Scenario, T7_AtLeastTheMinimum) {
  World world(gpu_cluster(3), kOneQueue);
  const std::int64_t other = world.submit(job_of("q", 2, 8, 60));
  world.cycle();
  model::Job job = job_of("q", 3, 8, 60);
  job.gang = 2;
  const std::int64_t gang = world.submit(job);
  world.cycle();
  EXPECT_EQ(world.running_tasks(gang), 0);
  world.happen(model::TaskEnded{{{other, -1}, 1}, 0, 0});
  world.cycle();
  EXPECT_EQ(world.running_tasks(gang), 2);
  world.finish(other);
  world.cycle();
  EXPECT_EQ(world.running_tasks(gang), 3) << "the rest joins when there is room";
}

// T8. A gang that cannot run is not tried again and again: nothing is decided while nothing
// happens, the next look is when something ends, and whoever comes after it runs at once.
TEST(Scenario, T8_GangThatWaitsCostsNothing) {
  World world(gpu_cluster(8), kOneQueue);
  world.submit(job_of("q", 1, 8, 600));
  world.cycle();
  const std::int64_t gang = world.submit(job_of("q", 8, 8, 60));
  for (int minute = 0; minute < 100; ++minute) {
    const std::int64_t small = world.submit(job_of("q", 1, 8, 1));
    const schedule::Decisions decided = world.cycle();
    EXPECT_TRUE(world.runs(small));
    EXPECT_LE(decided.decisions.size(), 2u) << "the small job, and once what is kept for the gang";
    EXPECT_TRUE(world.cycle().decisions.empty()) << "nothing has happened";
    EXPECT_GT(decided.next_wakeup, world.now());
    world.pass(1);
    world.finish(small);
  }
  EXPECT_EQ(world.running_tasks(gang), 0);
}

// T19. A job that waits for one pool does not stand in the way of jobs for another.
TEST(Scenario, T19_OrderIsKeptPerPool) {
  model::Cluster cluster = gpu_cluster(1, "a100");
  add_nodes(cluster, 1, "h100", 8);
  add_nodes(cluster, 1, "cpu", 0);
  World world(std::move(cluster), kOneQueue, "fifo");
  const auto on = [](model::Job job, const std::string& model) {
    job.groups.front().request.gpu_models = {model};
    return job;
  };
  world.submit(on(job_of("q", 1, 8, 60), "a100"));
  world.cycle();
  const std::int64_t head = world.submit(on(job_of("q", 1, 8, 60), "a100"));
  const std::int64_t other = world.submit(on(job_of("q", 1, 8, 60), "h100"));
  const std::int64_t plain = world.submit(job_of("q", 1, 0, 60));
  world.cycle();
  EXPECT_FALSE(world.runs(head));
  EXPECT_TRUE(world.runs(other));
  EXPECT_TRUE(world.runs(plain));
}

// T25. What a stopping job holds is not free before its end is confirmed.
TEST(Scenario, T25_CapacityInTransitIsNotFree) {
  World world(gpu_cluster(1), kOneQueue);
  const std::int64_t old = world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  world.happen(model::JobCancelled{{old, -1}, "ana"});
  const std::int64_t next = world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  EXPECT_FALSE(world.runs(next));
  world.happen(
      model::AllocationEnded{{{old, -1}, 1}, model::AllocationEnded::Outcome::kStopped, 0});
  world.cycle();
  EXPECT_TRUE(world.runs(next));
  EXPECT_EQ(world.state().outcome(old), schedule::JobOutcome::kCancelled);
}

// T27. Members that completed count as served: the rest of the gang goes on.
TEST(Scenario, T27_FinishedMembersCount) {
  World world(gpu_cluster(2), kOneQueue);
  const std::int64_t gang = world.submit(job_of("q", 2, 8, 60));
  world.cycle();
  world.happen(model::TaskEnded{{{gang, -1}, 1}, 0, 0});
  world.pass(10);
  world.cycle();
  EXPECT_TRUE(world.runs(gang));
  EXPECT_EQ(world.running_tasks(gang), 1);
  const std::int64_t next = world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  EXPECT_TRUE(world.runs(next)) << "on what the finished member held";
}

// T31. A request of exactly a profile's memory fits, and several instances share a card.
TEST(Scenario, T31_InstancesOfOneCard) {
  model::Cluster cluster;
  cluster.gpu_models = {a100()};
  const auto shape = cluster.intern_shape({.pool = "a100",
                                           .cpu = base::CpuMilli{96'000},
                                           .memory = base::gibibytes(1024),
                                           .gpu_model = model::GpuModelId{0},
                                           .gpus = 1,
                                           .mig = true});
  cluster.nodes.push_back({"n", shape});
  World world(std::move(cluster), kOneQueue);
  std::vector<std::int64_t> jobs;
  for (int i = 0; i < 3; ++i) {
    model::Job job = job_of("q", 1, 0, 60);
    job.groups.front().request.gpu = model::GpuRequest::mig("2g.20gb");
    jobs.push_back(world.submit(job));
  }
  world.cycle();
  for (const std::int64_t job : jobs) EXPECT_TRUE(world.runs(job));
}

// T34. Many tasks that share nodes and GPUs are placed in one cycle, none of them twice and no GPU
// for more than it has: there is nothing to lock, the cycle counts what it has given away.
TEST(Scenario, T34_ManyPlacementsInOneCycle) {
  World world(gpu_cluster(4), {{.name = "q", .cooperative_sharing = true}});
  std::vector<std::int64_t> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(world.submit(job_of("q", 1, 1, 60)));
  for (int i = 0; i < 48; ++i) {
    model::Job quarter = job_of("q", 1, 0, 60);
    quarter.groups.front().request.gpu = model::GpuRequest::fraction(base::GpuMilli{250});
    jobs.push_back(world.submit(quarter));
  }
  std::map<std::pair<std::uint32_t, int>, std::int64_t> taken;  // by node and GPU
  std::set<std::int64_t> started;
  for (const model::Decision& decision : world.cycle().decisions) {
    const auto& start = std::get<model::StartJob>(decision);
    EXPECT_TRUE(started.insert(start.id.job.number).second);
    for (const model::TaskPlacement& task : start.placement) {
      for (const model::DeviceUse& use : task.devices) {
        taken[{task.node.index(), use.gpu}] += use.share.value();
      }
    }
  }
  EXPECT_EQ(started.size(), jobs.size());
  EXPECT_EQ(taken.size(), 32u) << "all of them are needed";
  for (const auto& [gpu, milli] : taken) EXPECT_EQ(milli, 1000);
}

// T38. A job that waits has one typed reason, with numbers.
TEST(Scenario, T38_ReasonsHaveNumbers) {
  model::Queue limited{.name = "q", .limit = {{"h100", 8}}};
  limited.user_limits.running = 5;
  World world(gpu_cluster(4), {limited, {.name = "r"}});
  world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  const std::int64_t over = world.submit(job_of("q", 1, 2, 60));
  const std::int64_t big = world.submit(job_of("r", 4, 8, 60));
  world.cycle();
  EXPECT_EQ(world.why(over).kind, Kind::kQueueLimit);
  EXPECT_EQ(world.why(over).needs, 2000);
  EXPECT_EQ(world.why(over).has, 0);
  EXPECT_EQ(world.why(big).kind, Kind::kCapacity);
  EXPECT_EQ(world.why(big).needs, 32'000);
}

// T39. Of two models that a job accepts and neither of which has room, the reason names the one
// that lacks less, with its numbers.
TEST(Scenario, T39_ReasonNamesTheBestOption) {
  model::Cluster cluster = gpu_cluster(2, "a100");
  add_nodes(cluster, 2, "h100", 8);
  World world(std::move(cluster), kOneQueue);
  const auto on = [](model::Job job, const std::string& model) {
    job.groups.front().request.gpu_models = {model};
    return job;
  };
  const std::int64_t large = world.submit(on(job_of("q", 1, 8, 60), "h100"));
  world.submit(on(job_of("q", 1, 2, 60), "h100"));
  world.submit(on(job_of("q", 1, 4, 60), "a100"));
  world.cycle();
  model::Job either = job_of("q", 2, 8, 60);
  either.groups.front().request.gpu_models = {"h100", "a100"};
  const std::int64_t waits = world.submit(either);
  world.cycle();
  EXPECT_EQ(world.why(waits).pool, world.state().queues().find_pool("a100"));
  EXPECT_EQ(world.why(waits).needs, 16'000);
  EXPECT_EQ(world.why(waits).has, 12'000);
  // The other way round, whichever pool is looked at first.
  world.finish(large);
  world.cycle();
  EXPECT_EQ(world.why(waits).pool, world.state().queues().find_pool("h100"));
  EXPECT_EQ(world.why(waits).has, 14'000);
}

TEST(Scenario, T38_EnoughIsFreeButInPieces) {
  World world(gpu_cluster(2), kOneQueue);
  world.submit(job_of("q", 2, 5, 60));
  world.cycle();
  const std::int64_t six = world.submit(job_of("q", 1, 6, 60));
  world.cycle();
  EXPECT_EQ(world.why(six).kind, Kind::kFragments);
  EXPECT_EQ(world.why(six).has, 6000);
}

// T48. Who has as much as one user may have waits, with that reason, and keeps the age; only what
// is above the limit by itself is never. A machine can tell the two apart.
TEST(Scenario, T48_WaitingIsNotNever) {
  model::Queue queue{.name = "q"};
  queue.user_limits.gpus = 8;
  World world(gpu_cluster(4), {queue});
  const std::int64_t first = world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  const std::int64_t waits = world.submit(job_of("q", 1, 4, 60));
  const std::int64_t never = world.submit(job_of("q", 2, 8, 60));
  world.pass(10);
  bool rejected = false;
  for (const model::Decision& decision : world.cycle().decisions) {
    const auto* reject = std::get_if<model::RejectJob>(&decision);
    if (reject == nullptr) continue;
    rejected = true;
    EXPECT_EQ(reject->job.number, never);
    EXPECT_EQ(reject->reason, model::RejectJob::Reason::kAboveQueueLimit);
    EXPECT_EQ(reject->needs, 16'000);
    EXPECT_EQ(reject->most, 8000);
  }
  EXPECT_TRUE(rejected);
  EXPECT_EQ(world.why(waits).kind, Kind::kUserLimit);
  EXPECT_EQ(world.why(waits).needs, 4000);
  EXPECT_EQ(world.why(waits).has, 0);
  EXPECT_EQ(world.entry(waits).queued_since.value(), 0);
  world.finish(first);
  world.cycle();
  EXPECT_TRUE(world.runs(waits));
}

// T40. What no state of the cluster could run is rejected at once, and the rest goes on.
TEST(Scenario, T40_NeverIsSaidAtSubmission) {
  World world(gpu_cluster(2), kOneQueue);
  const std::int64_t large = world.submit(job_of("q", 1, 9, 60));
  const std::int64_t many = world.submit(job_of("q", 3, 8, 60));
  const std::int64_t fine = world.submit(job_of("q", 2, 8, 60));
  world.cycle();
  EXPECT_TRUE(world.rejected(large));
  EXPECT_TRUE(world.rejected(many));
  EXPECT_TRUE(world.runs(fine));
}

// The same for what its queue may never have, though the cluster could hold it.
TEST(Scenario, T40_AboveTheLimitIsNeverToo) {
  model::Cluster cluster = gpu_cluster(4);
  add_nodes(cluster, 1, "a100", 8);
  World world(std::move(cluster), {{.name = "q", .limit = {{"h100", 8}}}});
  const std::int64_t large = world.submit(job_of("q", 3, 8, 60));
  const std::int64_t fine = world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  EXPECT_TRUE(world.rejected(large));
  EXPECT_TRUE(world.runs(fine));
}

// T44. A job with a reservation starts at once when capacity appears before.
TEST(Scenario, T44_PlansAreMadeAnew) {
  World world(gpu_cluster(2), kOneQueue, "easy");
  const std::int64_t one = world.submit(job_of("q", 1, 8, 600));
  world.submit(job_of("q", 1, 7, 900));
  world.cycle();
  const std::int64_t waits = world.submit(job_of("q", 1, 8, 60));
  world.submit(job_of("q", 1, 1, 6000));
  world.cycle();
  EXPECT_EQ(world.planned_start_minutes(waits), 600);
  world.pass(5);
  world.finish(one);
  world.cycle();
  EXPECT_TRUE(world.runs(waits));
}

// T45. Domains of which a few nodes are unhealthy are used evenly: 8 x 16, not 7 x 18 + 2.
TEST(Scenario, T45_BalancedOverDomains) {
  World world(gpu_cluster(8 * 18, "h100", 18), kOneQueue);
  model::Job job = job_of("q", 128, 8, 60);
  job.topology =
      model::TopologySpec{.required = {}, .preferred = model::Level::kLeaf, .segment = 0};
  const std::int64_t gang = world.submit(job);
  world.cycle();
  std::vector<int> per_leaf(8, 0);
  for (const int node : world.nodes_of(gang)) ++per_leaf[static_cast<std::size_t>(node / 18)];
  EXPECT_EQ(per_leaf, std::vector<int>(8, 16));
}

TEST(Scenario, T45_RequiredDomainIsTheTightestThatHolds) {
  World world(gpu_cluster(12, "h100", 4), kOneQueue);
  world.submit(job_of("q", 1, 8, 600));
  world.cycle();
  model::Job job = job_of("q", 3, 8, 60);
  job.topology =
      model::TopologySpec{.required = model::Level::kLeaf, .preferred = {}, .segment = 0};
  const std::int64_t gang = world.submit(job);
  world.cycle();
  const std::vector<int> nodes = world.nodes_of(gang);
  EXPECT_EQ(nodes.front() / 4, nodes.back() / 4);
  EXPECT_EQ(nodes.front() / 4, world.nodes_of(1).front() / 4) << "the leaf with three left";
}

// T47. Nothing that could run waits beside idle GPUs.
TEST(Scenario, T47_NoIdleGpuWhileSomethingFits) {
  World world(gpu_cluster(2), kOneQueue);
  world.submit(job_of("q", 1, 4, 60));
  world.cycle();
  const std::int64_t big = world.submit(job_of("q", 2, 8, 60));
  const std::int64_t small = world.submit(job_of("q", 1, 4, 60));
  world.cycle();
  EXPECT_FALSE(world.runs(big));
  EXPECT_TRUE(world.runs(small)) << "it ends when the big one can start";
}

}  // namespace

}  // namespace headroom::tests
