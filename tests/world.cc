#include "tests/world.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/placements.h"

namespace headroom::tests {

namespace {

constexpr std::int64_t kMinute = 60'000;

}  // namespace

void add_nodes(model::Cluster& cluster, int nodes, const std::string& pool, int gpus) {
  model::NodeShape shape{
      .pool = pool, .cpu = base::CpuMilli{96'000}, .memory = base::gibibytes(1024), .gpus = gpus};
  if (gpus > 0) {
    shape.gpu_model = cluster.find_gpu_model(pool);
    if (!shape.gpu_model.valid()) {
      shape.gpu_model = model::GpuModelId{cluster.gpu_models.size()};
      cluster.gpu_models.push_back({.name = pool, .memory = base::gigabytes(80)});
    }
  }
  const model::ShapeId id = cluster.intern_shape(shape);
  for (int i = 0; i < nodes; ++i) {
    cluster.nodes.push_back({pool + std::to_string(cluster.nodes.size()), id});
  }
}

model::Cluster gpu_cluster(int nodes, const std::string& pool, int leaf) {
  model::Cluster cluster;
  add_nodes(cluster, nodes, pool, 8);
  if (leaf == 0) return cluster;
  const auto level = static_cast<std::size_t>(model::Level::kLeaf);
  for (int i = 0; i < nodes; ++i) {
    cluster.fabric.domain_of[level].emplace_back(static_cast<std::size_t>(i / leaf));
  }
  cluster.fabric.domains[level] = static_cast<std::uint32_t>((nodes + leaf - 1) / leaf);
  return cluster;
}

model::Job job_of(const std::string& queue, std::int64_t tasks, int gpus, std::int64_t minutes) {
  model::Job job;
  job.job = "job";
  job.queue = queue;
  job.user = "ana";
  job.groups.front().tasks = tasks;
  if (gpus > 0) job.groups.front().request.gpu = model::GpuRequest::whole(gpus);
  job.groups.front().request.cpu = base::CpuMilli{1000};
  job.time = base::Duration{minutes * kMinute};
  return job;
}

World::World(model::Cluster cluster, std::vector<model::Queue> queues, const std::string& policy,
             const schedule::PolicySettings& settings)
    : policy_(policy), settings_(settings) {
  const auto shared = std::make_shared<const model::Cluster>(std::move(cluster));
  const auto tree =
      std::make_shared<const schedule::QueueTree>(queues, schedule::pool_names(*shared));
  state_ = std::make_unique<schedule::State>(shared, tree);
  new_scheduler();
}

void World::new_scheduler() {
  scheduler_ = std::make_unique<schedule::Scheduler>(
      *state_, schedule::make_policy(policy_, settings_),
      schedule::make_placement("headroom_learned", state_->cluster().cluster(), {}));
}

void World::decide(const model::Decision& decision) {
  apply(*state_, {.sequence = ++records_, .time = now_, .what = decision});
}

void World::happen(const model::Event& event) {
  const auto ok = check(*state_, event);
  ASSERT_TRUE(ok) << ok.error().message;
  apply(*state_, {.sequence = ++records_, .time = now_, .what = event});
}

std::int64_t World::submit(model::Job job) {
  const model::JobId id{next_++, -1};
  happen(model::JobSubmitted{.id = id, .job = std::move(job), .speed_permille = {}});
  scheduler_->arrived(id.number);
  return id.number;
}

void World::finish(std::int64_t job) {
  happen(model::AllocationEnded{
      {{job, -1}, attempt(job)}, model::AllocationEnded::Outcome::kCompleted, 0});
}

void World::pass(std::int64_t minutes) {
  now_ = now_ + base::Duration{minutes * kMinute};
  happen(model::Cycle{});
}

schedule::Decisions World::cycle() {
  const std::uint64_t before = state_->digest();
  const schedule::Decisions decided = scheduler_->decide();
  EXPECT_EQ(state_->digest(), before) << "a cycle leaves the state as it was";
  for (const model::Decision& decision : decided.decisions) {
    decide(decision);
  }
  return decided;
}

const schedule::JobEntry& World::entry(std::int64_t job) const {
  return state_->job(state_->find({job, -1}));
}

bool World::runs(std::int64_t job) const {
  const schedule::JobSlot slot = state_->find({job, -1});
  return slot.valid() && state_->job(slot).status == schedule::JobStatus::kRunning;
}

bool World::rejected(std::int64_t job) const {
  return state_->outcome(job) == schedule::JobOutcome::kRejected;
}

std::vector<int> World::nodes_of(std::int64_t job) const {
  std::vector<int> nodes;
  for (std::int32_t at = entry(job).first_task; at >= 0;) {
    const schedule::AllocationId id{static_cast<std::size_t>(at)};
    nodes.push_back(static_cast<int>(state_->cluster().allocation(id).node.index()));
    at = state_->task(id).next;
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::int64_t World::running_tasks(std::int64_t job) const { return entry(job).running; }

std::int64_t World::planned_start_minutes(std::int64_t job) const {
  const base::Time start = entry(job).planned_start;
  return start == schedule::kNever ? -1 : start.value() / kMinute;
}

schedule::Reason World::why(std::int64_t job) const {
  return scheduler_->reason(state_->find({job, -1}));
}

}  // namespace headroom::tests
