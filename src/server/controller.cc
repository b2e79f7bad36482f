#include "server/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "schedule/gang.h"
#include "schedule/placements.h"
#include "schedule/snapshot.h"

namespace headroom::server {

namespace {

using base::Result;
using model::AllocationId;
using schedule::JobEntry;
using schedule::JobSlot;
using schedule::JobStatus;

// Planning uses this quantile of what jobs of the kind have run for (design: P75).
constexpr std::int64_t kPlanPermille = 750;

bool runs(const JobEntry& job) {
  return job.status == JobStatus::kRunning || job.status == JobStatus::kStopping;
}

// The state of a new store, from cluster.yaml; its reservations and maintenance are records.
Result<std::unique_ptr<schedule::State>> first_state(const FirstSite& first) {
  auto tree = std::make_shared<const schedule::QueueTree>(first.queues,
                                                          schedule::pool_names(*first.cluster));
  return std::make_unique<schedule::State>(first.cluster, tree, first.settings);
}

}  // namespace

// ---- Change

const schedule::State& Change::state() const { return *c_.state_; }
base::Time Change::now() const { return c_.now_; }
std::uint64_t Change::sequence() const { return c_.sequence_; }
std::int64_t Change::next_job() const { return c_.next_job_; }
schedule::Reason Change::reason(JobSlot job) const { return c_.scheduler_->reason(job); }
store::Batch& Change::also() { return c_.batch_; }
Result<void> Change::record(const model::Event& event) { return c_.record(event); }

Result<void> Change::try_all(const std::vector<model::Event>& events) const {
  schedule::State trial = *c_.state_;
  std::uint64_t sequence = c_.sequence_;
  for (const model::Event& event : events) {
    if (auto ok = check(trial, event); !ok) return ok;
    apply(trial, {.sequence = ++sequence, .time = c_.now_, .what = event});
  }
  return {};
}

Result<void> Change::record_all(const std::vector<model::Event>& events) {
  if (auto ok = try_all(events); !ok) return ok;
  for (const model::Event& event : events) {
    const Result<void> ok = c_.record(event);
    HEADROOM_ASSERT(ok.has_value());
  }
  return {};
}

Result<void> Change::requeue(model::JobId id) {
  const JobSlot slot = c_.state_->find(id);
  const std::string name = "job " + model::to_text(id);
  if (!slot.valid()) return base::fail(name + ": there is no such job");
  const JobEntry& job = c_.state_->job(slot);
  if (job.status == JobStatus::kStopping) return base::fail(name + ": it is being stopped");
  if (job.status != JobStatus::kRunning) return base::fail(name + ": it does not run");
  const model::StopJob stop{.id = c_.allocation_of(slot),
                            .reason = model::StopJob::Reason::kRequeued};
  c_.append(model::Decision{stop});
  c_.note(stop);
  return {};
}

// ---- Controller

Controller::Controller(Ports ports, const ControllerOptions& options,
                       std::unique_ptr<schedule::State> state, std::uint64_t sequence)
    : ports_(ports),
      options_(options),
      state_(std::move(state)),
      timeline_(ports.clock, state_->now()),
      sequence_(sequence),
      snapshot_at_(sequence),
      next_job_(state_->highest_job() + 1),
      now_(timeline_.now()) {}

Result<std::unique_ptr<Controller>> Controller::open(Ports ports, const ControllerOptions& options,
                                                     const FirstSite* first) {
  auto policy = schedule::make_policy(options.policy, options.policy_settings);
  if (!policy) return base::fail("policy: '" + options.policy + "' is not one");

  auto saved = ports.store.snapshot();
  if (!saved) return tl::unexpected(saved.error());
  std::unique_ptr<schedule::State> state;
  std::uint64_t sequence = 0;
  if (*saved) {
    auto read = schedule::read_state((*saved)->bytes);
    if (!read) return base::fail("snapshot: " + read.error().message);
    state = std::make_unique<schedule::State>(std::move(*read));
    sequence = (*saved)->sequence;
    const auto apply_one = [&](const model::Record& record) -> Result<void> {
      const auto* const event = std::get_if<model::Event>(&record.what);
      if (event) {
        if (auto ok = check(*state, *event); !ok) {
          return base::fail(fmt::format("record {} does not fit the state before it: {}",
                                        record.sequence, ok.error().message));
        }
      }
      apply(*state, record);
      sequence = record.sequence;
      return {};
    };
    if (auto ok = ports.store.records(sequence, apply_one); !ok) return tl::unexpected(ok.error());
  } else {
    if (!first) return base::fail("the store is new: it needs a cluster.yaml to begin with");
    auto made = first_state(*first);
    if (!made) return tl::unexpected(made.error());
    state = std::move(*made);
  }

  auto placement =
      schedule::make_placement(options.placement, state->cluster().cluster(), schedule::TaskMix{});
  if (!placement) return base::fail("placement: '" + options.placement + "' is not one");
  std::unique_ptr<Controller> self(new Controller(ports, options, std::move(state), sequence));
  self->scheduler_ =
      std::make_unique<schedule::Scheduler>(*self->state_, std::move(policy), std::move(placement));
  if (!*saved) {
    store::Snapshot begin{.sequence = 0,
                          .digest = self->state_->digest(),
                          .time = self->now_,
                          .bytes = schedule::write_state(*self->state_)};
    self->batch_.snapshot = std::move(begin);
    self->batch_.cluster = *first->cluster;
    self->batch_.site = first->text;
    if (auto ok = self->commit(); !ok) return tl::unexpected(ok.error());
    for (const model::ReservationChanged& window : first->windows) {
      if (auto ok = self->record(window); !ok) return tl::unexpected(ok.error());
    }
  }
  if (auto ok = self->recover(); !ok) return tl::unexpected(ok.error());
  return self;
}

// What the engine has against what the state says. Ends that were reported come first; what is then
// not there was never launched: the process died between its commit and the order.
Result<void> Controller::recover() {
  take_reports();
  if (auto ok = commit(); !ok) return ok;
  auto list = ports_.engine.list();
  if (!list) return base::fail("engine: " + list.error().message);
  std::vector<AllocationId> known;  // to the engine, by id
  for (const engine::Running& one : *list) {
    known.push_back(one.id);
    const JobSlot slot = state_->find(one.id.job);
    const bool current =
        slot.valid() && runs(state_->job(slot)) && state_->job(slot).attempt == one.id.attempt;
    if (!current) to_stop_.emplace_back(one.id, true);
  }
  for (const JobSlot slot : state_->running()) {
    const AllocationId id = allocation_of(slot);
    const bool there = std::binary_search(known.begin(), known.end(), id);
    if (state_->job(slot).status == JobStatus::kRunning) {
      to_launch_.push_back(id);  // an order that is repeated changes nothing
    } else if (there) {
      to_stop_.emplace_back(id, false);
    } else {
      refused_.push_back({.kind = engine::Report::Kind::kLost, .id = id});
    }
  }
  tell_engine();
  return {};
}

Result<base::Time> Controller::step(std::vector<Request> requests) {
  now_ = timeline_.now();
  take_reports();
  std::vector<Answer> answers;
  answers.reserve(requests.size());
  Change change(*this);
  for (const Request& request : requests) answers.push_back(request(change));
  if (auto ok = commit(); !ok) return tl::unexpected(ok.error());
  for (const Answer& answer : answers) {
    if (answer) answer();
  }
  if (!changed_ && now_ >= wakeup_) {
    const Result<void> ok = record(model::Cycle{});
    HEADROOM_ASSERT(ok.has_value());
  }
  if (!refused_.empty()) return now_;
  if (!changed_) return wakeup_;
  const base::Duration begin = ports_.clock.monotonic();
  if (begin < next_cycle_) return now_ + (next_cycle_ - begin);
  auto next = decide();
  const base::Duration end = ports_.clock.monotonic();
  next_cycle_ = end + (end - begin);  // requests get as much of the thread as cycles
  return refused_.empty() ? next : now_;
}

Result<void> Controller::shut_down() {
  batch_.snapshot = store::Snapshot{.sequence = sequence_,
                                    .digest = state_->digest(),
                                    .time = now_,
                                    .bytes = schedule::write_state(*state_)};
  return commit();
}

// ---- records

Result<void> Controller::record(model::Event event) {
  if (auto* const submitted = std::get_if<model::JobSubmitted>(&event)) {
    if (submitted->planned <= base::Duration{0}) {
      submitted->planned = durations_.quantile(submitted->job, kPlanPermille);
    }
  }
  if (auto ok = check(*state_, event); !ok) return ok;
  std::vector<AllocationId> lost;
  if (const auto* const failed = std::get_if<model::NodeFailed>(&event)) {
    lost = allocations_on(failed->node);
  }
  append(event);
  // A gang whose member is gone is ended whole: the engine says when nothing of it is left.
  for (const AllocationId& id : lost) to_stop_.emplace_back(id, true);
  if (const auto* const submitted = std::get_if<model::JobSubmitted>(&event)) {
    scheduler_->arrived(submitted->id.number);
    next_job_ = std::max(next_job_, submitted->id.number + 1);
  } else if (const auto* const changed = std::get_if<model::JobChanged>(&event)) {
    scheduler_->arrived(changed->id.number);
  } else if (const auto* const cancelled = std::get_if<model::JobCancelled>(&event)) {
    const JobSlot slot = state_->find(cancelled->id);
    if (slot.valid()) to_stop_.emplace_back(allocation_of(slot), false);
  }
  return {};
}

void Controller::append(std::variant<model::Event, model::Decision> what) {
  model::Record record{.sequence = ++sequence_, .time = now_, .what = std::move(what)};
  apply(*state_, record);
  batch_.records.push_back(std::move(record));
  changed_ = true;
}

Result<void> Controller::commit() {
  if (sequence_ - snapshot_at_ >= options_.snapshot_every && !batch_.snapshot) {
    batch_.snapshot = store::Snapshot{.sequence = sequence_,
                                      .digest = state_->digest(),
                                      .time = now_,
                                      .bytes = schedule::write_state(*state_)};
  }
  if (batch_.snapshot) snapshot_at_ = sequence_;
  if (auto ok = ports_.store.commit(batch_); !ok) return ok;
  if (watch_) {
    for (const model::Record& record : batch_.records) watch_(record);
  }
  batch_ = {};
  for (const AllocationId& id : to_forget_) ports_.engine.forget(id);
  to_forget_.clear();
  return {};
}

// ---- what the engine reports

void Controller::take_reports() {
  for (const engine::Report& report : ports_.engine.reports()) take(report);
  for (const engine::Report& report : std::exchange(refused_, {})) take(report);
}

void Controller::take(const engine::Report& report) {
  using Kind = engine::Report::Kind;
  const JobSlot slot = state_->find(report.id.job);
  const bool over = report.kind != Kind::kStarted && report.kind != Kind::kTaskEnded;
  const bool current =
      slot.valid() && runs(state_->job(slot)) && state_->job(slot).attempt == report.id.attempt;
  if (over) to_forget_.push_back(report.id);
  if (!current) return;  // it is in the journal already
  if (over) return ended(report, slot);
  // The engine repeats it to a server that was started again; in the projection the first counts.
  if (report.kind == Kind::kStarted) (void)record(model::AllocationStarted{report.id});
  if (report.kind == Kind::kTaskEnded) {
    (void)record(model::TaskEnded{report.id, report.group, report.task});
  }
}

void Controller::ended(const engine::Report& report, JobSlot slot) {
  using Kind = engine::Report::Kind;
  using Outcome = model::AllocationEnded::Outcome;
  const JobEntry& job = state_->job(slot);
  const bool stopping = job.status == JobStatus::kStopping;
  const base::Duration ran = base::between(job.started, now_);
  const base::Duration limit = job.spec->job->time;
  const bool late = limit > base::Duration{0} && ran >= limit;
  // Stopped, though no record stops it: it lost a node. It waits again, with its age.
  if (report.kind == Kind::kLost || (report.stopped && !stopping)) {
    const Result<void> ok = record(model::AllocationLost{report.id});
    HEADROOM_ASSERT(ok.has_value());
    return;
  }
  Outcome outcome =
      report.exit_code == 0 && report.signal == 0 ? Outcome::kCompleted : Outcome::kFailed;
  if (report.kind == Kind::kLaunchFailed) outcome = Outcome::kFailed;
  if (report.stopped) outcome = late ? Outcome::kTimedOut : Outcome::kStopped;
  if (report.timed_out) outcome = Outcome::kTimedOut;
  if (outcome == Outcome::kCompleted) durations_.ended(*job.spec->job, ran);
  const Result<void> ok = record(model::AllocationEnded{.id = report.id,
                                                        .outcome = outcome,
                                                        .exit_code = report.exit_code,
                                                        .signal = report.signal,
                                                        .out_of_memory = report.out_of_memory,
                                                        .detail = report.detail});
  HEADROOM_ASSERT(ok.has_value());
}

// ---- decisions, and what the engine hears of them

// Cycles until one decides that no other is needed at once. What a cycle stops is free only when
// the engine says so, so this ends.
Result<base::Time> Controller::decide() {
  for (;;) {
    changed_ = false;
    const schedule::Decisions decided = scheduler_->decide();
    for (const model::Decision& decision : decided.decisions) {
      append(decision);
      note(decision);
    }
    wakeup_ = decided.next_wakeup;
    if (auto ok = commit(); !ok) return tl::unexpected(ok.error());
    tell_engine();
    changed_ = false;
    if (wakeup_ > state_->now() || decided.decisions.empty()) return wakeup_;
  }
}

void Controller::note(const model::Decision& decision) {
  if (const auto* const start = std::get_if<model::StartJob>(&decision)) {
    to_launch_.push_back(start->id);
  } else if (const auto* const stop = std::get_if<model::StopJob>(&decision)) {
    to_stop_.emplace_back(stop->id, false);
  }
}

void Controller::tell_engine() {
  for (const AllocationId& id : std::exchange(to_launch_, {})) launch(id);
  for (const auto& [id, at_once] : std::exchange(to_stop_, {})) {
    const engine::Stop order{.id = id,
                             .epoch = ports_.store.epoch(),
                             .checkpoint = !at_once,
                             .grace = at_once ? base::Duration{0} : options_.stop_grace};
    // Refused only where a newer server gives the orders; the next commit will say so as well.
    (void)ports_.engine.stop(order);
  }
}

// All tasks that the allocation has now; those that run already go on.
void Controller::launch(const AllocationId& id) {
  const JobSlot slot = state_->find(id.job);
  if (!slot.valid() || state_->job(slot).attempt != id.attempt) return;
  const JobEntry& job = state_->job(slot);
  engine::Launch order{.id = id,
                       .epoch = ports_.store.epoch(),
                       .job = *job.spec->job,
                       .cluster = state_->cluster().cluster().name,
                       .tasks = {},
                       .limit = job.spec->job->time};
  std::vector<std::int64_t> first_rank;
  std::int64_t rank = 0;
  for (const model::TaskGroup& group : order.job.groups) {
    first_rank.push_back(rank);
    rank += group.tasks;
  }
  for (const schedule::AllocationId at : state_->tasks_of(job)) {
    const schedule::TaskEntry& task = state_->task(at);
    const schedule::Allocation& held = state_->cluster().allocation(at);
    const model::TaskPlacement placed = schedule::task_placement(
        *state_, {task.group, task.index}, held.request, held.node, held.devices);
    order.tasks.push_back({.group = task.group,
                           .task = task.index,
                           .rank = first_rank[static_cast<std::size_t>(task.group)] + task.index,
                           .node = state_->cluster().cluster().nodes[held.node.index()].name,
                           .devices = placed.devices});
  }
  std::sort(order.tasks.begin(), order.tasks.end(),
            [](const auto& a, const auto& b) { return a.rank < b.rank; });
  if (auto ok = ports_.engine.launch(order); !ok) {
    refused_.push_back({.kind = engine::Report::Kind::kLaunchFailed,
                        .id = id,
                        .epoch = order.epoch,
                        .detail = ok.error().message});
  }
}

AllocationId Controller::allocation_of(JobSlot slot) const {
  const JobEntry& job = state_->job(slot);
  return {job.spec->id, job.attempt};
}

std::vector<AllocationId> Controller::allocations_on(model::NodeId node) const {
  std::vector<AllocationId> found;
  const schedule::ClusterState& cluster = state_->cluster();
  for (auto at = cluster.first_allocation(node); at.valid(); at = cluster.next_allocation(at)) {
    found.push_back(allocation_of(state_->task(at).job));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace headroom::server
