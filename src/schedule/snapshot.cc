#include "schedule/snapshot.h"

#include <algorithm>

#include "base/archive.h"
#include "base/digest.h"
#include "model/archive.h"
#include "schedule/changes.h"
#include "schedule/gang.h"
#include "schedule/mutants.h"

namespace headroom::schedule {

constexpr auto members(std::type_identity<Window>) {
  return std::tuple(&Window::name, &Window::nodes, &Window::start, &Window::end, &Window::queue);
}
constexpr auto members(std::type_identity<Settings>) {
  return std::tuple(&Settings::epoch, &Settings::half_life, &Settings::past_weight_permille,
                    &Settings::reservations, &Settings::max_slips, &Settings::gang_grace,
                    &Settings::horizon, &Settings::seed);
}

namespace {

template <class T>
using Type = std::type_identity<T>;

// A job without what follows from the rest: its tasks hold their GPUs, sums are made anew.
struct SavedJob {
  model::JobId id;
  std::int64_t wish = 0;  // index in SavedState::wishes
  base::Duration planned;
  JobStatus status = JobStatus::kWaiting;
  model::Placement tasks;
  std::vector<std::pair<std::int32_t, std::int32_t>> done;
  PoolId pool;
  std::int64_t attempt = 0;
  base::Time submitted, queued_since, started, expected_end, degraded_since, planned_start;
  std::int32_t slips = 0, failures = 0, evictions = 0;
  std::int64_t attained = 0;
  bool cancelled = false;
};
constexpr auto members(Type<SavedJob>) {
  return std::tuple(&SavedJob::id, &SavedJob::wish, &SavedJob::planned, &SavedJob::status,
                    &SavedJob::tasks, &SavedJob::done, &SavedJob::pool, &SavedJob::attempt,
                    &SavedJob::submitted, &SavedJob::queued_since, &SavedJob::started,
                    &SavedJob::expected_end, &SavedJob::degraded_since, &SavedJob::planned_start,
                    &SavedJob::slips, &SavedJob::failures, &SavedJob::evictions,
                    &SavedJob::attained, &SavedJob::cancelled);
}

struct SavedArray {
  std::int64_t number = 0, first = 0, last = 0;
  bool started = false;
  JobOutcome outcome = JobOutcome::kCompleted;
};
constexpr auto members(Type<SavedArray>) {
  return std::tuple(&SavedArray::number, &SavedArray::first, &SavedArray::last,
                    &SavedArray::started, &SavedArray::outcome);
}

struct SavedState {
  model::Cluster cluster;
  std::vector<model::Queue> queues;
  Settings settings;
  base::Time now, began;
  std::vector<model::Job> wishes;  // an array's elements share one
  std::vector<SavedJob> jobs;
  std::vector<SavedArray> arrays;
  std::vector<std::int64_t> running, lacking, blocked;  // indexes of jobs, in the state's order
  std::vector<JobOutcome> outcomes;
  std::vector<std::string> users;
  std::vector<model::NodeId> failed, drained;
  std::vector<Window> windows;
  std::vector<std::pair<base::Time, std::int64_t>> usage;
  std::vector<std::string> pools;  // those it began with, whatever nodes there are now
};
constexpr auto members(Type<SavedState>) {
  return std::tuple(&SavedState::cluster, &SavedState::queues, &SavedState::settings,
                    &SavedState::now, &SavedState::began, &SavedState::wishes, &SavedState::jobs,
                    &SavedState::arrays, &SavedState::running, &SavedState::lacking,
                    &SavedState::blocked, &SavedState::outcomes, &SavedState::users,
                    &SavedState::failed, &SavedState::drained, &SavedState::windows,
                    &SavedState::usage, &SavedState::pools);
}

std::int64_t checksum(std::string_view bytes) {
  base::Digest digest;
  digest.add(bytes);
  return static_cast<std::int64_t>(digest.value());
}

}  // namespace

// Knows the inside of a state; the only one besides Changes.
class Snapshot {
 public:
  static SavedState save(const State& state);
  static State restore(SavedState saved);

 private:
  static SavedJob save_job(const State& state, const JobEntry& job);
  static model::Placement tasks_of(const State& state, const JobEntry& job);
  static void restore_job(State& state, Changes& changes, const SavedState& saved,
                          const SavedJob& job);
};

model::Placement Snapshot::tasks_of(const State& state, const JobEntry& job) {
  model::Placement tasks;
  for (const AllocationId id : state.tasks_of(job)) {
    const TaskEntry& task = state.task(id);
    const Allocation& held = state.cluster().allocation(id);
    tasks.push_back(
        task_placement(state, {task.group, task.index}, held.request, held.node, held.devices));
  }
  std::reverse(tasks.begin(), tasks.end());  // in the order in which they were added
  return tasks;
}

SavedJob Snapshot::save_job(const State& state, const JobEntry& job) {
  return {.id = job.spec->id,
          .planned = job.spec->planned,
          .status = job.status,
          .tasks = tasks_of(state, job),
          .done = job.done,
          .pool = job.pool,
          .attempt = job.attempt,
          .submitted = job.submitted,
          .queued_since = job.queued_since,
          .started = job.started,
          .expected_end = job.expected_end,
          .degraded_since = job.degraded_since,
          .planned_start = job.planned_start,
          .slips = job.slips,
          .failures = job.failures,
          .evictions = job.evictions,
          .attained = job.attained,
          .cancelled = job.cancelled};
}

SavedState Snapshot::save(const State& state) {
  SavedState saved{.cluster = state.cluster_.cluster(),
                   .queues = state.queues_->queues(),
                   .settings = state.settings_,
                   .now = state.now_,
                   .began = state.began_,
                   .outcomes = state.outcomes_,
                   .users = state.users_,
                   .windows = state.windows_,
                   .pools = state.queues_->pools()};
  std::vector<std::int64_t> index(state.jobs_.size(), -1);
  const model::Job* latest = nullptr;
  for (std::size_t i = 0; i < state.jobs_.size(); ++i) {
    const JobEntry& job = state.jobs_[i];
    if (!job.spec) continue;
    index[i] = static_cast<std::int64_t>(saved.jobs.size());
    // The elements of an array are submitted one after the other.
    if (job.spec->job.get() != latest) saved.wishes.push_back(*job.spec->job);
    latest = job.spec->job.get();
    saved.jobs.push_back(save_job(state, job));
    saved.jobs.back().wish = static_cast<std::int64_t>(saved.wishes.size()) - 1;
    const std::int64_t number = job.spec->id.number;
    const auto array = state.arrays_.find(number);
    if (array == state.arrays_.end()) continue;
    if (!saved.arrays.empty() && saved.arrays.back().number == number) continue;
    const State::ArrayTotals& totals = array->second;
    saved.arrays.push_back({number, totals.first, totals.last, totals.started, totals.outcome});
  }
  const auto indexes = [&](const std::vector<JobSlot>& slots) {
    std::vector<std::int64_t> found;
    for (const JobSlot slot : slots) found.push_back(index[slot.index()]);
    return found;
  };
  saved.running = indexes(state.running_);
  saved.lacking = indexes(state.lacking_);
  saved.blocked = indexes(state.blocked_);
  for (std::size_t i = 0; i < state.failed_.size(); ++i) {
    if (state.failed_[i]) saved.failed.emplace_back(i);
    if (state.drained_[i]) saved.drained.emplace_back(i);
  }
  for (const Usage& usage : state.usage_) saved.usage.push_back(usage.raw());
  return saved;
}

void Snapshot::restore_job(State& state, Changes& changes, const SavedState& saved,
                           const SavedJob& job) {
  const JobSlot slot{state.jobs_.size()};
  const auto wish = static_cast<std::size_t>(job.wish);
  const auto spec = changes.make_spec(
      {.id = job.id, .job = saved.wishes[wish], .speed_permille = {}, .planned = job.planned});
  // The elements of an array share what was asked.
  if (!state.jobs_.empty() && saved.jobs[state.jobs_.size() - 1].wish == job.wish) {
    spec->job = state.jobs_.back().spec->job;
  }
  JobEntry& entry = state.jobs_.emplace_back();
  entry.spec = spec;
  entry.status = job.status;
  entry.done = job.done;
  entry.finished = static_cast<std::int64_t>(job.done.size());
  entry.pool = job.pool;
  entry.attempt = job.attempt;
  entry.submitted = job.submitted;
  entry.queued_since = job.queued_since;
  entry.started = job.started;
  entry.expected_end = job.expected_end;
  entry.degraded_since = job.degraded_since;
  entry.planned_start = job.planned_start;
  entry.slips = job.slips;
  entry.failures = job.failures;
  entry.evictions = job.evictions;
  entry.attained = job.attained;
  entry.cancelled = job.cancelled && !mutated(Mutant::kSnapshotForgetsCancel);
  state.slot_of_[State::key_of_job(job.id)] = slot;
  ++state.live_jobs_;
  const bool holds = job.status == JobStatus::kRunning || job.status == JobStatus::kStopping;
  if (const auto array = state.arrays_.find(job.id.number); array != state.arrays_.end()) {
    ++array->second.live;
    if (holds) ++array->second.running;
  }
  for (const model::TaskPlacement& task : job.tasks) changes.add_task(slot, task);
  if (job.status == JobStatus::kWaiting) changes.queue_up(slot);
}

State Snapshot::restore(SavedState saved) {
  auto cluster = std::make_shared<const model::Cluster>(std::move(saved.cluster));
  auto tree = std::make_shared<const QueueTree>(saved.queues, saved.pools);
  State state(std::move(cluster), tree, saved.settings);
  Changes changes(state);
  state.now_ = saved.now;
  state.began_ = saved.began;
  state.users_ = saved.users;
  for (const SavedArray& one : saved.arrays) {
    state.arrays_[one.number] = {
        .first = one.first, .last = one.last, .started = one.started, .outcome = one.outcome};
  }
  for (const SavedJob& job : saved.jobs) restore_job(state, changes, saved, job);
  changes.sum_up_jobs();
  const auto slots = [](const std::vector<std::int64_t>& indexes) {
    std::vector<JobSlot> found;
    for (const std::int64_t i : indexes) found.emplace_back(static_cast<std::size_t>(i));
    return found;
  };
  state.running_ = slots(saved.running);
  state.lacking_ = slots(saved.lacking);
  state.blocked_ = slots(saved.blocked);
  for (const JobSlot slot : state.blocked_) {
    const base::Time begin = state.job(slot).spec->job->begin;
    if (begin > state.now_) state.next_begin_ = std::min(state.next_begin_, begin);
  }
  for (const model::NodeId node : saved.failed) {
    state.failed_[node.index()] = true;
    if (!mutated(Mutant::kSnapshotForgetsLoss)) state.count_capacity(node, -1);
    state.cluster_.set_schedulable(node, false);
  }
  for (const model::NodeId node : saved.drained) {
    state.drained_[node.index()] = true;
    state.cluster_.set_schedulable(node, false);
  }
  state.outcomes_ = std::move(saved.outcomes);
  state.windows_ = std::move(saved.windows);
  for (Window& window : state.windows_) {
    if (mutated(Mutant::kSnapshotForgetsOwner)) window.queue = QueueId::none();
  }
  for (std::size_t i = 0; i < saved.usage.size(); ++i) {
    state.usage_[i] = Usage(saved.usage[i].first, saved.usage[i].second);
  }
  return state;
}

std::string write_state(const State& state) {
  base::Writer body;
  body.put(Snapshot::save(state));
  base::Writer whole;
  whole.put(kSnapshotVersion);
  whole.put(checksum(body.bytes()));
  whole.put(static_cast<std::int64_t>(state.digest()));
  return whole.bytes() + body.bytes();
}

base::Result<State> read_state(std::string_view bytes) {
  base::Reader head(bytes);
  const auto version = head.get<std::int64_t>();
  const auto sum = head.get<std::int64_t>();
  const auto digest = head.get<std::int64_t>();
  if (!head.ok()) return base::fail("snapshot: it is cut short");
  if (version != kSnapshotVersion) {
    return base::fail("snapshot: its version is " + std::to_string(version) +
                      "; this program reads " + std::to_string(kSnapshotVersion));
  }
  // What has the checksum was written by write_state, so its ids and sizes hold.
  if (checksum(head.rest()) != sum) return base::fail("snapshot: it was changed or cut short");
  auto saved = head.get<SavedState>();
  if (!head.ok() || !head.at_end()) return base::fail("snapshot: it is not whole");
  State state = Snapshot::restore(std::move(saved));
  if (static_cast<std::int64_t>(state.digest()) != digest) {
    return base::fail("snapshot: the state that it gives is not the one that was written");
  }
  return state;
}

}  // namespace headroom::schedule
