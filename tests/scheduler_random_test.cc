// The whole scheduler on random clusters, queues, jobs and faults. After every cycle, checkers that
// know nothing of how it decides: limits hold, a gang runs whole or not at all, no job is lost,
// nothing that fits waits while no reservation stands against it. At the end, when nothing new
// arrives and every node is back, every job runs. The same seed gives the same digest.
#include <gtest/gtest.h>

#include <map>

#include "schedule/gang.h"
#include "schedule/placements.h"
#include "schedule/quota.h"
#include "tests/world.h"

namespace headroom::tests {

namespace {

using schedule::JobSlot;
using schedule::JobStatus;

class RandomLife {
 public:
  RandomLife(std::uint64_t seed, const std::string& policy)
      : rng_(seed), world_(random_cluster(), queues(), policy) {}

  std::uint64_t run() {
    for (int step = 0; step < 120 && !testing::Test::HasFailure(); ++step) {
      world_.pass(rng_.between(0, 20));
      something();
      cycles();
      check();
    }
    wind_down();
    return world_.state().digest();
  }

  int started() const { return started_; }
  int stops() const { return stops_; }  // of jobs, for others

 private:
  static std::vector<model::Queue> queues() {
    model::Queue limited{.name = "b", .limit = {{"h100", 24}}};
    return {{.name = "a", .guarantee = {{"h100", 16}}, .weight = 2},
            {.name = "a/x", .guarantee = {{"h100", 8}}},
            {.name = "a/y"},
            limited};
  }

  model::Cluster random_cluster() {
    nodes_ = static_cast<int>(rng_.between(6, 20));
    model::Cluster cluster = gpu_cluster(nodes_, "h100", 4);
    add_nodes(cluster, 2, "cpu", 0);
    return cluster;
  }

  void something() {
    const std::uint64_t dice = rng_.below(100);
    if (dice < 45)
      submit();
    else if (dice < 75)
      finish_one();
    else if (dice < 83)
      fail_node();
    else if (dice < 91)
      recover_node();
    else if (dice < 95)
      cancel_one();
    else
      hold_one();
  }

  void submit() {
    static const std::vector<std::string> leaves = {"a/x", "a/y", "b"};
    const std::string queue = leaves[rng_.below(leaves.size())];
    const bool gang = rng_.chance(1, 3);
    model::Job job =
        job_of(queue, gang ? rng_.between(2, 6) : 1,
               static_cast<int>(rng_.chance(1, 8) ? 0 : rng_.between(1, 8)), rng_.between(5, 300));
    if (gang && rng_.chance(1, 2)) job.gang = rng_.between(1, job.tasks());
    if (gang && rng_.chance(1, 4)) {
      job.topology =
          model::TopologySpec{.required = model::Level::kLeaf, .preferred = {}, .segment = 0};
    }
    if (rng_.chance(1, 10))
      job.groups.front().request.gpu =
          model::GpuRequest::fraction(base::GpuMilli{rng_.between(1, 999)});
    job.priority = rng_.between(0, 2);
    if (!jobs_.empty() && rng_.chance(1, 10)) {
      job.after.push_back({model::Dependency::Kind::kAny, jobs_[rng_.below(jobs_.size())]});
    }
    jobs_.push_back(world_.submit(job));
  }

  std::vector<std::int64_t> in(JobStatus status) const {
    std::vector<std::int64_t> found;
    for (const std::int64_t job : jobs_) {
      if (world_.state().find({job, -1}).valid() && world_.entry(job).status == status) {
        found.push_back(job);
      }
    }
    return found;
  }

  void finish_one() {
    const auto running = in(JobStatus::kRunning);
    if (!running.empty()) world_.finish(running[rng_.below(running.size())]);
  }

  void cancel_one() {
    const auto some = in(rng_.chance(1, 2) ? JobStatus::kRunning : JobStatus::kWaiting);
    if (!some.empty())
      world_.happen(model::JobCancelled{{some[rng_.below(some.size())], -1}, "ana"});
  }

  void hold_one() {
    const auto held = in(JobStatus::kHeld);
    const auto waiting = in(JobStatus::kWaiting);
    if (!held.empty())
      world_.happen(model::JobHeld{{held.front(), -1}, false});
    else if (!waiting.empty())
      world_.happen(model::JobHeld{{waiting.front(), -1}, true});
  }

  void fail_node() {
    const model::NodeId node{rng_.below(static_cast<std::uint64_t>(nodes_))};
    if (!world_.state().node_failed(node)) world_.happen(model::NodeFailed{node, ""});
  }

  void recover_node() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(nodes_); ++i) {
      const model::NodeId node{i};
      if (!world_.state().node_failed(node)) continue;
      world_.happen(model::NodeRecovered{node});
      return;
    }
  }

  // One cycle, and more as long as something is stopped: what that frees is given out in the next.
  void cycles() {
    bool preempted = false;
    for (int wave = 0; wave < 50; ++wave) {
      world_.cycle();
      if (in(JobStatus::kStopping).empty()) break;
      preempted = note_stops() || preempted;
      confirm_stops();
      EXPECT_LT(wave, 49) << "there is no end of stops";
    }
    EXPECT_TRUE(!preempted || started_now()) << "somebody was stopped for nobody";
  }

  // Whether anybody was stopped for another.
  bool note_stops() {
    const int before = stops_;
    for (const std::int64_t job : in(JobStatus::kStopping)) {
      std::int32_t& known = evictions_[job];
      stops_ += world_.entry(job).evictions - known;
      known = world_.entry(job).evictions;
    }
    return stops_ > before;
  }

  bool started_now() const {
    const auto running = in(JobStatus::kRunning);
    return std::any_of(running.begin(), running.end(),
                       [&](std::int64_t job) { return world_.entry(job).started == world_.now(); });
  }

  void confirm_stops() {
    for (const std::int64_t job : in(JobStatus::kStopping)) {
      world_.happen(model::AllocationEnded{
          {{job, -1}, world_.attempt(job)}, model::AllocationEnded::Outcome::kStopped, 0});
    }
  }

  void check() {
    const schedule::State& state = world_.state();
    const schedule::QueueId b = state.queues().find("b");
    const schedule::PoolId pool = state.queues().find_pool("h100");
    EXPECT_LE(state.held(b, pool), 24'000) << "the limit of b";
    std::int64_t held = 0;
    for (const schedule::QueueId top : state.queues().top()) held += state.held(top, pool);
    EXPECT_LE(held, 8000 * nodes_);
    bool reserved = false;
    for (const std::int64_t job : jobs_) {
      const JobSlot slot = state.find({job, -1});
      if (!slot.valid()) {
        EXPECT_NE(state.outcome(job), schedule::JobOutcome::kUnknown)
            << "job " << job << " is lost";
        continue;
      }
      const schedule::JobEntry& entry = state.job(slot);
      reserved = reserved || entry.planned_start != schedule::kNever;
      if (entry.status == JobStatus::kStopping) continue;
      if (entry.status != JobStatus::kRunning) {
        EXPECT_EQ(entry.running, 0) << "job " << job << " holds something while it waits";
        continue;
      }
      const bool enough = entry.running + entry.finished >= entry.spec->gang_minimum;
      EXPECT_TRUE(enough || entry.degraded_since != schedule::kNever) << "job " << job;
      started_ += entry.attempt > 0 ? 1 : 0;
    }
    if (!reserved) nothing_that_fits_waits();
  }

  // Tried with place_gang on what is free, for every waiting job that its queues and its user
  // allow.
  void nothing_that_fits_waits() {
    const schedule::State& state = world_.state();
    const schedule::Quota quota(state);
    const auto placement = schedule::make_placement("best_fit", state.cluster().cluster(), {});
    for (const JobSlot slot : state.all_waiting()) {
      const schedule::JobSpec& spec = *state.job(slot).spec;
      for (const schedule::PoolOption& option : spec.pools) {
        if (quota.refuses(spec, option.pool, option.amount)) continue;
        const auto placed = schedule::place_gang(
            state, *placement, {&spec, option.pool, schedule::missing_tasks(state, slot)},
            [&](model::NodeId node) { return state.cluster().node(node); });
        EXPECT_FALSE(placed) << "job " << spec.id.number << " waits though it fits";
      }
    }
  }

  // No more arrivals, all nodes back: every job that is not held runs and ends.
  void wind_down() {
    for (int i = 0; i < nodes_; ++i) recover_node();
    while (!in(JobStatus::kHeld).empty()) {
      world_.happen(model::JobHeld{{in(JobStatus::kHeld).front(), -1}, false});
    }
    for (std::size_t round = 0; round < 3 * jobs_.size() + 3; ++round) {
      world_.pass(1);
      cycles();
      finish_one();
    }
    EXPECT_EQ(world_.state().job_count(), 0u) << "somebody waits for ever";
    EXPECT_EQ(world_.state().cluster().allocation_count(), 0u);
  }

  base::Rng rng_;
  int nodes_ = 0;
  World world_;
  std::vector<std::int64_t> jobs_;
  int started_ = 0;
  int stops_ = 0;
  std::map<std::int64_t, std::int32_t> evictions_;  // by job, known so far
};

class RandomScheduler : public testing::TestWithParam<std::string> {};

TEST_P(RandomScheduler, HoldsItsPromises) {
  int started = 0;
  int stops = 0;
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomLife life(seed, GetParam());
    const std::uint64_t digest = life.run();
    started += life.started();
    stops += life.stops();
    if (seed % 50 != 0) continue;
    EXPECT_EQ(RandomLife(seed, GetParam()).run(), digest) << "the same seed, another digest";
  }
  EXPECT_GT(started, 100 * 300) << "the lives are too quiet to mean anything";
  const bool stopping = GetParam() == "las" || GetParam() == "drf_preempt";
  EXPECT_EQ(stops > 300, stopping) << stops << " stops";
}

INSTANTIATE_TEST_SUITE_P(Policies, RandomScheduler,
                         testing::Values("easy", "conservative", "slurm", "las", "drf",
                                         "drf_preempt", "headroom"),
                         [](const auto& param) { return param.param; });

}  // namespace

}  // namespace headroom::tests
