// Records of attempts: what they hold, how they end, what their work was good for.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "store/projection_writer.h"

namespace headroom::store {

namespace {

// Why an attempt was stopped before its work was done.
Waste waste_of(AttemptOutcome outcome, std::int64_t stop) {
  if (outcome == AttemptOutcome::kCompleted) return Waste::kNone;
  if (stop == 0) return Waste::kFailed;
  switch (static_cast<StopReason>(stop - 1)) {
    case StopReason::kCancelled:
    case StopReason::kRequeued:
      return Waste::kCancelled;
    case StopReason::kShrunk:
    case StopReason::kConsolidated:
    case StopReason::kReclaimed:
    case StopReason::kPreempted:
      return Waste::kPreempted;
    case StopReason::kTimeLimit:
    case StopReason::kNodeLost:
      return Waste::kFailed;
  }
  return Waste::kFailed;
}

}  // namespace

// A new attempt, or tasks that join it.
void Projection::Writer::operator()(const model::StartJob& decision) {
  const model::AllocationId& id = decision.id;
  const JobNow job = job_now(id.job);
  model::Placement all = decision.placement;
  if (to_.find_allocation.first(id.job.number, id.job.element, id.attempt)) {
    base::Reader in(to_.find_allocation.blob(5), to_.find_allocation.integer(4));
    auto before = in.get<model::Placement>();
    to_.find_allocation.reset();
    all.insert(all.begin(), before.begin(), before.end());
    to_.set_placement.run(model::kArchiveVersion, Blob{bytes_of(all)}, sequence_, id.job.number,
                          id.job.element, id.attempt);
    note(id.job, What::kTasksJoined, id.attempt, std::to_string(decision.placement.size()));
  } else {
    to_.insert_allocation.run(id.job.number, id.job.element, id.attempt, now_,
                              model::kArchiveVersion, Blob{bytes_of(all)}, sequence_);
    to_.start_job.run(JobState::kLaunching, id.attempt, sequence_, id.job.number, id.job.element);
  }
  hold(id, spec(job.spec), decision.placement);
  measure(id);
  refresh_job(id, all);
}

void Projection::Writer::hold(const model::AllocationId& id, const model::Job& job,
                              const model::Placement& placement) {
  for (const model::TaskPlacement& task : placement) {
    std::int64_t gpus = 0;
    std::uint32_t mask = 0;
    for (const model::DeviceUse& use : task.devices) {
      gpus += use.share.value();
      mask |= 1U << static_cast<unsigned>(use.gpu);
    }
    const auto group = static_cast<std::size_t>(task.group);
    if (group >= job.groups.size()) return db_.fail("a placement names a group that is not there");
    to_.hold.run(id.job.number, id.job.element, task.group, task.task, id.attempt,
                 std::int64_t{task.node.index()}, mask, gpus, job.groups[group].request.cpu,
                 gpus > 0 ? node(task.node).gpu_model : std::string());
  }
}

void Projection::Writer::measure(const model::AllocationId& id) {
  to_.close_uses.run(now_, sequence_, id.job.number, id.job.element, id.attempt, kOpen);
  to_.forget_empty_uses.run(id.job.number, id.job.element, id.attempt, now_);
  to_.open_uses.run(id.job.number, id.job.element, id.attempt, now_, kOpen, sequence_);
}

// What it holds, as lists show it.
void Projection::Writer::refresh_job(const model::AllocationId& id,
                                     const model::Placement& placement) {
  std::int64_t gpus = 0;
  std::string models;
  for (bool row = to_.sum_held.first(id.job.number, id.job.element); row;
       row = to_.sum_held.next()) {
    gpus += to_.sum_held.integer(1);
    if (to_.sum_held.text(0).empty()) continue;
    if (!models.empty()) models += ',';
    models += to_.sum_held.text(0);
  }
  to_.job_holds.run(nodes_of(placement), gpus, models, sequence_, id.job.number, id.job.element);
}

std::string Projection::Writer::nodes_of(const model::Placement& placement) const {
  std::vector<model::NodeId> seen;
  std::string names;
  for (const model::TaskPlacement& task : placement) {
    if (std::find(seen.begin(), seen.end(), task.node) != seen.end()) continue;
    seen.push_back(task.node);
    if (task.node.index() >= nodes_.size()) continue;  // `hold` has said so
    if (!names.empty()) names += ',';
    names += nodes_[task.node.index()].name;
  }
  return names;
}

void Projection::Writer::operator()(const model::AllocationStarted& event) {
  const model::JobId id = event.id.job;
  // The engine says it again to a server that was started again: the first time counts.
  const bool known = to_.find_allocation.first(id.number, id.element, event.id.attempt) &&
                     to_.find_allocation.integer(1) != 0;
  to_.find_allocation.reset();
  if (known) return;
  to_.allocation_runs.run(now_, sequence_, id.number, id.element, event.id.attempt);
  const JobState state = job_now(id).state;
  to_.job_runs.run(state == JobState::kLaunching ? JobState::kRunning : state, now_, sequence_,
                   id.number, id.element);
}

void Projection::Writer::operator()(const model::StopJob& decision) {
  told_to_stop(decision.id, decision.reason, decision.for_whom);
}

void Projection::Writer::told_to_stop(model::AllocationId id, StopReason reason,
                                      model::JobId for_whom) {
  const auto stop = static_cast<std::int64_t>(reason) + 1;
  to_.allocation_stops.run(now_, stop, for_whom.number, for_whom.element, sequence_, id.job.number,
                           id.job.element, id.attempt);
  to_.stop_job.run(JobState::kStopping, stop, sequence_, id.job.number, id.job.element);
}

void Projection::Writer::operator()(const model::AllocationEnded& event) {
  using Outcome = model::AllocationEnded::Outcome;
  constexpr std::pair<Outcome, AttemptOutcome> kOutcomes[] = {
      {Outcome::kCompleted, AttemptOutcome::kCompleted},
      {Outcome::kFailed, AttemptOutcome::kFailed},
      {Outcome::kStopped, AttemptOutcome::kStopped},
      {Outcome::kTimedOut, AttemptOutcome::kTimedOut}};
  for (const auto& [theirs, ours] : kOutcomes) {
    if (event.outcome == theirs) end_attempt(event, ours);
  }
}

void Projection::Writer::operator()(const model::AllocationLost& event) {
  end_attempt({.id = event.id}, AttemptOutcome::kLost);
}

// What its work was good for: all of it when it completed; else whole checkpoint intervals.
void Projection::Writer::end_attempt(const model::AllocationEnded& event, AttemptOutcome outcome) {
  const model::JobId id = event.id.job;
  const JobNow job = job_now(id);
  if (!to_.find_allocation.first(id.number, id.element, event.id.attempt)) {
    return db_.fail(fmt::format("record {}: of an attempt that was never placed", sequence_));
  }
  const std::int64_t started = to_.find_allocation.integer(1);
  const std::int64_t stopping = to_.find_allocation.integer(2);
  const std::int64_t stop = to_.find_allocation.integer(3);
  to_.find_allocation.reset();
  const std::int64_t worked_until = stopping == 0 ? now_.value() : stopping;
  std::int64_t kept = worked_until;
  if (outcome != AttemptOutcome::kCompleted && started != 0 && started < worked_until) {
    const auto checkpoint = spec(job.spec).checkpoint;
    const std::int64_t every = checkpoint ? checkpoint->every.value() : 0;
    kept = started + (every > 0 ? (worked_until - started) / every * every : 0);
  }
  to_.end_allocation.run(now_, outcome, event.exit_code, event.signal, event.out_of_memory,
                         event.detail, kept, waste_of(outcome, stop), sequence_, id.number,
                         id.element, event.id.attempt);
  to_.drop_all.run(id.number, id.element);
  measure(event.id);
  to_.job_ended.run(event.exit_code, event.signal, sequence_, id.number, id.element);

  const bool failed = outcome == AttemptOutcome::kFailed && !job.cancelled;
  const std::int64_t failures = job.failures + (failed ? 1 : 0);
  if (job.cancelled) {
    finish(id, JobState::kCancelled);
  } else if (outcome == AttemptOutcome::kCompleted) {
    finish(id, JobState::kCompleted);
  } else if (outcome == AttemptOutcome::kTimedOut) {
    finish(id, JobState::kTimedOut);
  } else if (failed && failures > job.retries) {
    finish(id, JobState::kFailed);
  } else {
    to_.requeue_job.run(JobState::kWaiting, failures, sequence_, id.number, id.element);
  }
}

void Projection::Writer::operator()(const model::TaskEnded& event) {
  to_.drop_task.run(event.id.job.number, event.id.job.element, event.group, event.task);
  measure(event.id);
}

}  // namespace headroom::store
