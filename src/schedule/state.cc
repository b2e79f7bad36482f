#include "schedule/state.h"

#include <algorithm>

#include "base/digest.h"
#include "schedule/cells.h"

namespace headroom::schedule {

namespace {

std::uint64_t key_of(QueueId queue, std::uint32_t user) {
  return std::uint64_t{queue.index()} << 32 | user;
}

base::Digest digest_of(const JobEntry& entry) {
  base::Digest digest;
  digest.add(entry.spec->id.number);
  digest.add(entry.spec->id.element);
  digest.add(static_cast<std::uint64_t>(entry.status));
  digest.add(std::uint64_t{entry.pool.index()});
  digest.add(entry.charged);
  digest.add(entry.running);
  digest.add(entry.finished);
  digest.add(entry.attempt);
  digest.add(entry.queued_since.value());
  digest.add(entry.started.value());
  digest.add(entry.expected_end.value());
  digest.add(entry.degraded_since.value());
  digest.add(entry.planned_start.value());
  digest.add(std::int64_t{entry.slips});
  digest.add(std::int64_t{entry.failures});
  digest.add(std::int64_t{entry.evictions});
  digest.add(entry.attained);
  return digest;
}

}  // namespace

std::vector<std::string> pool_names(const model::Cluster& cluster) {
  std::vector<std::string> names;
  for (const model::Node& node : cluster.nodes) {
    const model::NodeShape& shape = cluster.shapes[node.shape.index()];
    if (shape.gpus == 0) continue;
    if (std::find(names.begin(), names.end(), shape.pool) == names.end()) {
      names.push_back(shape.pool);
    }
  }
  names.emplace_back(model::kCpuPool);
  return names;
}

base::Duration planned_time(const JobSpec& spec, const Settings& settings) {
  return spec.planned > base::Duration{0} ? spec.planned : settings.horizon;
}

bool before(const State& state, JobSlot a, JobSlot b) {
  const JobEntry& x = state.job(a);
  const JobEntry& y = state.job(b);
  if (x.spec->job->priority != y.spec->job->priority) {
    return x.spec->job->priority > y.spec->job->priority;
  }
  if (x.queued_since != y.queued_since) return x.queued_since < y.queued_since;
  return x.spec->id < y.spec->id;
}

State::State(std::shared_ptr<const model::Cluster> cluster,
             const std::shared_ptr<const QueueTree>& queues, Settings settings)
    : cluster_(std::move(cluster)),
      queues_(with_cell_promises(queues, cluster_.cluster())),
      settings_(settings),
      waiting_(queues_->size()),
      capacity_(queues_->pools().size(), 0),
      failed_(cluster_.node_count(), false),
      drained_(cluster_.node_count(), false),
      usage_(queues_->size() * queues_->pools().size()) {
  held_.assign(queues_->size() * capacity_.size(), 0);
  firm_ = held_;
  wanted_ = held_;
  const model::Cluster& nodes = cluster_.cluster();
  learn_shapes();
  for (std::size_t i = 0; i < nodes.nodes.size(); ++i) count_capacity(model::NodeId{i}, 1);
}

void State::learn_shapes() {
  const std::vector<model::NodeShape>& shapes = cluster_.cluster().shapes;
  for (std::size_t i = pool_of_shape_.size(); i < shapes.size(); ++i) {
    const bool with_gpus = shapes[i].gpus > 0;
    pool_of_shape_.push_back(with_gpus ? queues_->find_pool(shapes[i].pool) : cpu_pool());
  }
}

// A node's GPUs count in its pool, its cores in the pool of jobs without GPUs, wherever they are.
void State::count_capacity(model::NodeId node, std::int64_t sign) {
  const model::NodeShape& shape = cluster_.shape(node);
  capacity_[cpu_pool().index()] += sign * shape.cpu.value();
  if (shape.gpus == 0) return;
  capacity_[pool_of(cluster_.shape_id(node)).index()] += sign * kDeviceMilli * shape.gpus;
}

std::int64_t State::full_capacity(PoolId pool) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < cluster_.node_count(); ++i) {
    const model::NodeShape& shape = cluster_.shape(model::NodeId{i});
    if (pool == cpu_pool()) {
      sum += shape.cpu.value();
    } else if (pool_of(cluster_.shape_id(model::NodeId{i})) == pool) {
      sum += std::int64_t{kDeviceMilli} * shape.gpus;
    }
  }
  return sum;
}

std::uint64_t State::key_of_job(model::JobId id) {
  return static_cast<std::uint64_t>(id.number) << 24 |
         (static_cast<std::uint64_t>(id.element + 1) & 0xff'ffff);
}

JobSlot State::find(model::JobId id) const {
  const auto found = slot_of_.find(key_of_job(id));
  return found == slot_of_.end() ? JobSlot::none() : found->second;
}

JobOutcome State::outcome(std::int64_t job_number) const {
  if (job_number < 0 || static_cast<std::size_t>(job_number) >= outcomes_.size()) {
    return JobOutcome::kUnknown;
  }
  return outcomes_[static_cast<std::size_t>(job_number)];
}

std::vector<JobSlot> State::slots_of(std::int64_t job_number) const {
  std::vector<JobSlot> slots;
  if (const JobSlot single = find({job_number, -1}); single.valid()) slots.push_back(single);
  const auto array = arrays_.find(job_number);
  if (array == arrays_.end()) return slots;
  for (std::int64_t i = array->second.first; i <= array->second.last; ++i) {
    if (const JobSlot slot = find({job_number, i}); slot.valid()) slots.push_back(slot);
  }
  return slots;
}

std::int64_t State::highest_job() const {
  std::int64_t highest = std::max<std::int64_t>(0, std::ssize(outcomes_) - 1);
  for (const JobEntry& job : jobs_) {
    if (job.spec) highest = std::max(highest, job.spec->id.number);
  }
  return highest;
}

bool State::has_started(std::int64_t job_number) const {
  if (outcome(job_number) != JobOutcome::kUnknown) return true;
  if (const auto array = arrays_.find(job_number); array != arrays_.end()) {
    return array->second.started;
  }
  const JobSlot slot = find({job_number, -1});
  return slot.valid() && job(slot).attempt > 0;
}

bool State::waits_in_vain(const JobSpec& spec) const {
  const auto& after = spec.job->after;
  return std::any_of(after.begin(), after.end(), [&](const model::Dependency& one) {
    const JobOutcome found = outcome(one.job);
    if (found == JobOutcome::kUnknown) return false;
    const bool completed = found == JobOutcome::kCompleted;
    return (one.kind == model::Dependency::Kind::kOk && !completed) ||
           (one.kind == model::Dependency::Kind::kFailed && completed);
  });
}

std::int64_t State::array_running(std::int64_t job_number) const {
  const auto array = arrays_.find(job_number);
  return array == arrays_.end() ? 0 : array->second.running;
}

State::UserTotals State::user_totals(QueueId queue, const std::string& user) const {
  const auto found = std::find(users_.begin(), users_.end(), user);
  if (found == users_.end()) return {};
  return user_totals(queue, static_cast<std::uint32_t>(found - users_.begin()));
}

State::UserTotals State::user_totals(QueueId queue, std::uint32_t user) const {
  const auto found = user_totals_.find(key_of(queue, user));
  return found == user_totals_.end() ? UserTotals{} : found->second;
}

State::UserTotals& State::totals_of(const JobSpec& spec) {
  return user_totals_[key_of(spec.queue, spec.user)];
}

std::uint64_t State::digest() const {
  base::Digest digest;
  digest.add(cluster_.digest());
  digest.add(now_.value());
  for (const JobEntry& entry : jobs_) {
    if (entry.spec) digest.unordered(digest_of(entry));
  }
  for (std::size_t i = 0; i < usage_.size(); ++i) {
    digest.add(usage_[i].at(now_, held_[i], settings_.half_life));
  }
  for (const JobOutcome outcome : outcomes_) digest.add(static_cast<std::uint64_t>(outcome));
  for (const Window& window : windows_) {
    digest.add(window.name);
    digest.add(window.start.value());
    digest.add(window.end.value());
    for (const model::NodeId node : window.nodes) digest.add(std::uint64_t{node.index()});
  }
  return digest.value();
}

}  // namespace headroom::schedule
