// Changes of what runs: tasks on nodes, starts and ends, nodes that fail and come back.
#include <algorithm>

#include "base/digest.h"
#include "schedule/changes.h"
#include "schedule/gang.h"
#include "schedule/mutants.h"

namespace headroom::schedule {

namespace {

// Names a task in the digest of the cluster, the same whatever slot its job is in.
TaskId task_id(model::JobId job, std::int64_t group, std::int64_t index) {
  base::Digest digest;
  digest.add(job.number);
  digest.add(job.element);
  digest.add(group);
  digest.add(index);
  return static_cast<TaskId>(digest.value() >> 1);
}

}  // namespace

std::int64_t Changes::charge_of(const JobEntry& job, AllocationId id) const {
  const Allocation& allocation = s_.cluster_.allocation(id);
  const Demand& demand = s_.cluster_.demand(allocation.request, allocation.node);
  return job.pool == s_.cpu_pool() ? demand.cpu.value() : demand.gpu_milli();
}

// Every queue up to the top holds so much more (or less, if negative) of the job's pool.
void Changes::charge(JobEntry& job, std::int64_t amount) {
  job.charged += amount;
  for (QueueId q = job.spec->queue; q.valid(); q = (*s_.queues_)[q].parent) {
    const std::size_t i = s_.at(q, job.pool);
    s_.usage_[i].update(s_.now_, s_.held_[i], s_.settings_.half_life);
    s_.held_[i] += amount;
    if (!job.spec->preemptible) s_.firm_[i] += amount;
  }
  if (job.pool != s_.cpu_pool()) s_.totals_of(*job.spec).gpu_milli += amount;
}

void Changes::add_task(JobSlot slot, const model::TaskPlacement& placement) {
  JobEntry& job = entry(slot);
  const RequestId request = job.spec->requests[static_cast<std::size_t>(placement.group)];
  const TaskId name = task_id(job.spec->id, placement.group, placement.task);
  const AllocationId id = s_.cluster_.place(name, request, placement.node, devices_of(placement));
  if (s_.tasks_.size() <= id.index()) s_.tasks_.resize(id.index() + 1);
  s_.tasks_[id.index()] = {slot, static_cast<std::int32_t>(placement.group),
                           static_cast<std::int32_t>(placement.task), job.first_task};
  job.first_task = static_cast<std::int32_t>(id.index());
  ++job.running;
  charge(job, charge_of(job, id));
}

void Changes::remove_task(AllocationId id) {
  const TaskEntry task = s_.tasks_[id.index()];
  JobEntry& job = entry(task.job);
  std::int32_t* link = &job.first_task;
  while (*link != static_cast<std::int32_t>(id.index())) {
    link = &s_.tasks_[static_cast<std::size_t>(*link)].next;
  }
  *link = task.next;
  if (!mutated(Mutant::kChargeNotReleased)) charge(job, -charge_of(job, id));
  s_.cluster_.release(id);
  --job.running;
}

void Changes::remove_all_tasks(JobSlot slot) {
  JobEntry& job = entry(slot);
  const base::Duration ran = base::between(job.started, s_.now_);
  job.attained += job.charged * ran.value();
  while (job.first_task >= 0) remove_task(AllocationId{static_cast<std::size_t>(job.first_task)});
  --s_.totals_of(*job.spec).running;
  if (job.spec->id.element >= 0) --s_.arrays_[job.spec->id.number].running;
  erase_one(s_.running_, slot);
  erase_one(s_.lacking_, slot);
}

// Fewer members than it asked for: it gets more when there is room. Fewer than its minimum: they
// are to be replaced, or the gang to be requeued.
void Changes::note_members(JobSlot slot) {
  JobEntry& job = entry(slot);
  const std::int64_t served = job.running + job.finished;
  if (served >= job.spec->gang_minimum) {
    job.degraded_since = kNever;
  } else if (job.degraded_since == kNever) {
    job.degraded_since = s_.now_;
  }
  const auto at = std::find(s_.lacking_.begin(), s_.lacking_.end(), slot);
  if (served >= job.spec->tasks) {
    if (at != s_.lacking_.end()) s_.lacking_.erase(at);
  } else if (at == s_.lacking_.end()) {
    s_.lacking_.push_back(slot);
  }
}

// A new attempt, or members that take the places of lost ones.
void Changes::operator()(const model::StartJob& decision) {
  const JobSlot slot = slot_of(decision.id.job);
  JobEntry& job = entry(slot);
  if (job.status == JobStatus::kWaiting) {
    dequeue(slot);
    job.status = JobStatus::kRunning;
    ++job.attempt;
    job.started = s_.now_;
    job.planned_start = kNever;
    job.expected_end = s_.now_ + planned_time(*job.spec, s_.settings_);
    ++s_.totals_of(*job.spec).running;
    --s_.totals_of(*job.spec).waiting;
    if (job.spec->id.element >= 0) {
      State::ArrayTotals& array = s_.arrays_[job.spec->id.number];
      ++array.running;
      array.started = true;
    }
    s_.running_.push_back(slot);
    job.pool = s_.cpu_pool();
    for (const model::TaskPlacement& task : decision.placement) {
      const bool with_gpu = !task.devices.empty();
      if (with_gpu) job.pool = s_.pool_of(s_.cluster_.shape_id(task.node));
    }
  }
  HEADROOM_ASSERT(job.status == JobStatus::kRunning && job.attempt == decision.id.attempt);
  for (const model::TaskPlacement& task : decision.placement) add_task(slot, task);
  note_members(slot);
  if (!s_.blocked_.empty()) unblock();  // a job may wait for this start
}

void Changes::operator()(const model::StopJob& decision) {
  JobEntry& job = entry(slot_of(decision.id.job));
  HEADROOM_ASSERT(job.status == JobStatus::kRunning && job.attempt == decision.id.attempt);
  job.status = JobStatus::kStopping;
  if (decision.reason == model::StopJob::Reason::kReclaimed ||
      decision.reason == model::StopJob::Reason::kPreempted) {
    ++job.evictions;
  }
}

void Changes::operator()(const model::ReserveFor& decision) {
  JobEntry& job = entry(slot_of(decision.job));
  if (decision.slipped && !mutated(Mutant::kSlipNotCounted)) ++job.slips;
  job.planned_start = decision.start;
}

void Changes::operator()(const model::RejectJob& decision) {
  finish(slot_of(decision.job), JobOutcome::kRejected);
}

void Changes::operator()(const model::AllocationEnded& event) {
  const JobSlot slot = slot_of(event.id.job);
  JobEntry& job = entry(slot);
  remove_all_tasks(slot);
  using Outcome = model::AllocationEnded::Outcome;
  if (job.cancelled) {
    finish(slot, JobOutcome::kCancelled);
  } else if (event.outcome == Outcome::kCompleted) {
    finish(slot, JobOutcome::kCompleted);
  } else if (event.outcome == Outcome::kTimedOut) {
    finish(slot, JobOutcome::kTimedOut);
  } else if (event.outcome == Outcome::kStopped || ++job.failures <= job.spec->job->retries) {
    requeue(slot);
  } else {
    finish(slot, JobOutcome::kFailed);
  }
}

void Changes::operator()(const model::AllocationLost& event) {
  const JobSlot slot = slot_of(event.id.job);
  remove_all_tasks(slot);
  if (mutated(Mutant::kAttemptReused)) --entry(slot).attempt;
  if (entry(slot).cancelled) {
    finish(slot, JobOutcome::kCancelled);
  } else {
    requeue(slot);
  }
}

void Changes::operator()(const model::TaskEnded& event) {
  JobEntry& job = entry(slot_of(event.id.job));
  for (std::int32_t at = job.first_task; at >= 0;) {
    const TaskEntry& task = s_.tasks_[static_cast<std::size_t>(at)];
    if (task.group == event.group && task.index == event.task) {
      remove_task(AllocationId{static_cast<std::size_t>(at)});
      if (!mutated(Mutant::kDoneForgotten)) ++job.finished;
      job.done.emplace_back(static_cast<std::int32_t>(event.group),
                            static_cast<std::int32_t>(event.task));
      return;
    }
    at = task.next;
  }
}

void Changes::operator()(const model::NodeDrained& event) {
  s_.drained_[event.node.index()] = event.drained;
  const bool drained = event.drained && !mutated(Mutant::kDrainIgnored);
  s_.cluster_.set_schedulable(event.node, !drained && !s_.failed_[event.node.index()]);
}

void Changes::operator()(const model::NodeFailed& event) {
  s_.failed_[event.node.index()] = true;
  s_.cluster_.set_schedulable(event.node, false);
  if (!mutated(Mutant::kFailedNodeCounted)) s_.count_capacity(event.node, -1);
  lose_tasks(event.node, 0);
}

// A bit for each GPU; 0: all tasks of the node, those without GPUs too.
void Changes::lose_tasks(model::NodeId node, std::uint32_t gpus) {
  for (AllocationId id = s_.cluster_.first_allocation(node); id.valid();) {
    const AllocationId next = s_.cluster_.next_allocation(id);
    if (gpus == 0 || (s_.cluster_.allocation(id).devices.mask & gpus) != 0) {
      const JobSlot slot = s_.tasks_[id.index()].job;
      remove_task(id);
      note_members(slot);
    }
    id = next;
  }
}

void Changes::operator()(const model::NodeRecovered& event) {
  s_.failed_[event.node.index()] = false;
  s_.cluster_.set_schedulable(event.node, !s_.drained_[event.node.index()]);
  s_.count_capacity(event.node, 1);
}

void Changes::operator()(const model::ReservationChanged& event) {
  std::erase_if(s_.windows_,
                [&](const Window& window) { return window.name == event.window.name; });
  if (event.removed) return;
  Window window{
      .name = event.window.name,
      .nodes = event.nodes,
      .start = event.window.start,
      .end = event.window.end,
      .queue = event.maintenance ? QueueId::none() : s_.queues_->find(event.window.queue)};
  s_.windows_.push_back(std::move(window));
}

void apply(State& state, const model::Record& record) {
  Changes changes(state);
  changes.advance(record.time);
  std::visit([&](const auto& half) { std::visit(changes, half); }, record.what);
}

}  // namespace headroom::schedule
