#include "tests/simtest/book.h"

#include <algorithm>

#include "base/assert.h"

namespace headroom::simtest {

std::string name_of(model::JobId id) {
  const std::string number = std::to_string(id.number);
  return "job " + number + (id.element < 0 ? "" : "." + std::to_string(id.element));
}

Book::Book(const Site& site, Findings& findings)
    : site_(site),
      findings_(findings),
      rooms_(*site_.cluster),
      failed_(site.cluster->nodes.size(), false),
      drained_(failed_) {}

const BookJob* Book::find(model::JobId id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : &jobs_[found->second];
}

BookJob* Book::at(model::JobId id) { return const_cast<BookJob*>(find(id)); }

BookJob& Book::job(model::JobId id) {
  BookJob* found = at(id);
  HEADROOM_ASSERT(found != nullptr);
  return *found;
}

void Book::wrong(const std::string& checker, model::JobId id, const std::string& text) {
  findings_.add(checker, name_of(id) + ": " + text);
}

bool Book::closed(model::NodeId node, base::Time from, base::Time to,
                  const std::string& queue) const {
  return std::any_of(windows_.begin(), windows_.end(), [&](const auto& one) {
    const model::ReservationChanged& window = one.second;
    const bool own = !window.maintenance && window.window.queue == queue;
    const bool meets = window.window.start < to && window.window.end > from;
    const auto& nodes = window.nodes;
    return !own && meets && std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  });
}

base::Duration Book::planned(const BookJob& job) const {
  return job.planned > base::Duration{0} ? job.planned : site_.settings.horizon;
}

// Later than expected: as long again as it has run, five minutes at least, and not past its limit.
base::Time Book::expected_end(const BookJob& job) const {
  const base::Time end = job.started + planned(job);
  if (end > now_) return end;
  const std::int64_t ran = now_.value() - job.started.value();
  const base::Time again{now_.value() + std::max<std::int64_t>(300'000, ran)};
  const base::Time limit = job.started + job.job->time;
  return job.job->time > base::Duration{0} && limit > now_ ? std::min(again, limit) : again;
}

// How the job of this number ended; of an array, when its last element has: well if all did.
End Book::end_of(std::int64_t number) const {
  End end = End::kNone;
  for (auto at = index_.lower_bound({number, -1}); at != index_.end() && at->first.number == number;
       ++at) {
    const End one = jobs_[at->second].end;
    if (one == End::kNone) return End::kNone;
    if (end == End::kNone || one != End::kCompleted) end = one;
  }
  return end;
}

bool Book::has_started(std::int64_t number) const {
  for (auto at = index_.lower_bound({number, -1}); at != index_.end() && at->first.number == number;
       ++at) {
    if (jobs_[at->second].attempt > 0) return true;
  }
  return false;
}

bool Book::is_blocked(const BookJob& job) const {
  if (job.job->begin > now_) return true;
  return std::any_of(job.job->after.begin(), job.job->after.end(),
                     [&](const model::Dependency& one) {
                       const End end = end_of(one.job);
                       switch (one.kind) {
                         case model::Dependency::Kind::kOk:
                           return end != End::kCompleted;
                         case model::Dependency::Kind::kAny:
                           return end == End::kNone;
                         case model::Dependency::Kind::kFailed:
                           return end == End::kNone || end == End::kCompleted;
                         case model::Dependency::Kind::kStarted:
                           return end == End::kNone && !has_started(one.job);
                       }
                       return false;
                     });
}

bool Book::blocked_for_ever(const BookJob& job) const {
  return std::any_of(
      job.job->after.begin(), job.job->after.end(), [&](const model::Dependency& one) {
        const End end = end_of(one.job);
        if (end == End::kNone) return false;
        if (one.kind == model::Dependency::Kind::kOk) return end != End::kCompleted;
        return one.kind == model::Dependency::Kind::kFailed && end == End::kCompleted;
      });
}

void Book::read(const model::Record& record) {
  if (record.time < now_) findings_.add("records", "time goes back");
  now_ = record.time;
  unblock();
  std::visit([&](const auto& half) { std::visit([&](const auto& one) { read(one); }, half); },
             record.what);
  unblock();
}

// ---- events

void Book::read(const model::JobSubmitted& event) {
  BookJob job{.id = event.id, .job = std::make_shared<const model::Job>(event.job)};
  job.planned = event.planned > base::Duration{0} ? event.planned : event.job.expected;
  if (job.planned <= base::Duration{0}) job.planned = event.job.time;
  if (event.job.time > base::Duration{0}) job.planned = std::min(job.planned, event.job.time);
  job.status = event.job.hold ? Status::kHeld : Status::kWaiting;
  job.age = now_;
  const auto& array = event.job.array;
  const std::int64_t first = array ? array->first : -1;
  for (std::int64_t i = first; i <= (array ? array->last : -1); ++i) {
    job.id.element = i;
    job.blocked = is_blocked(job);
    index_[job.id] = jobs_.size();
    jobs_.push_back(job);
  }
}

void Book::read(const model::JobCancelled& event) {
  BookJob& one = job(event.id);
  one.cancelled = true;
  if (one.status == Status::kRunning) one.status = Status::kStopping;
  if (!one.holds()) finish(one, End::kCancelled);
}

void Book::read(const model::JobChanged& event) {
  BookJob& one = job(event.id);
  const std::int64_t element = one.id.element;
  HEADROOM_ASSERT(element < 0);
  one.job = std::make_shared<const model::Job>(event.job);
  one.planned = event.job.expected > base::Duration{0} ? event.job.expected : event.job.time;
  if (event.job.time > base::Duration{0}) one.planned = std::min(one.planned, event.job.time);
  one.promise.reset();
  one.blocked = one.status == Status::kWaiting && is_blocked(one);
}

void Book::read(const model::JobHeld& event) {
  BookJob& one = job(event.id);
  one.status = event.held ? Status::kHeld : Status::kWaiting;
  one.promise.reset();
  one.blocked = !event.held && is_blocked(one);
}

void Book::read(const model::AllocationEnded& event) {
  BookJob& one = job(event.id.job);
  give_back_all(one);
  using Outcome = model::AllocationEnded::Outcome;
  if (one.cancelled) return finish(one, End::kCancelled);
  switch (event.outcome) {
    case Outcome::kCompleted:
      return finish(one, End::kCompleted);
    case Outcome::kTimedOut:
      return finish(one, End::kTimedOut);
    case Outcome::kStopped:
      return requeue(one);
    case Outcome::kFailed:
      if (++one.failures <= one.job->retries) return requeue(one);
      return finish(one, End::kFailed);
  }
}

void Book::read(const model::AllocationLost& event) {
  BookJob& one = job(event.id.job);
  give_back_all(one);
  if (one.cancelled) return finish(one, End::kCancelled);
  requeue(one);
}

void Book::read(const model::TaskEnded& event) {
  BookJob& one = job(event.id.job);
  const auto task = std::find_if(one.tasks.begin(), one.tasks.end(), [&](const auto& held) {
    return held.group == event.group && held.task == event.task;
  });
  HEADROOM_ASSERT(task != one.tasks.end());
  rooms_.give_back(one.request(*task), *task);
  one.done.emplace_back(task->group, task->task);
  one.tasks.erase(task);
}

void Book::read(const model::NodeDrained& event) { drained_[event.node.index()] = event.drained; }

void Book::read(const model::NodeFailed& event) {
  failed_[event.node.index()] = true;
  lose_tasks([&](const model::TaskPlacement& task) { return task.node == event.node; });
}

void Book::lose_tasks(const std::function<bool(const model::TaskPlacement&)>& lost) {
  for (BookJob& one : jobs_) {
    const std::size_t before = one.tasks.size();
    std::erase_if(one.tasks, [&](const model::TaskPlacement& task) {
      if (!lost(task)) return false;
      rooms_.give_back(one.request(task), task);
      return true;
    });
    if (one.tasks.size() != before) note_degraded(one);
  }
}

void Book::read(const model::NodeRecovered& event) { failed_[event.node.index()] = false; }

void Book::read(const model::ReservationChanged& event) {
  windows_.erase(event.window.name);
  if (!event.removed) windows_[event.window.name] = event;
}

// ---- decisions

void Book::read(const model::StartJob& decision) {
  const model::JobId id = decision.id.job;
  BookJob* one = at(id);
  if (one == nullptr) return wrong("double start", id, "started, but nobody submitted it");
  if (one->status == Status::kWaiting) {
    if (one->blocked) return wrong("hold", id, "started against its dependency or begin time");
    if (decision.id.attempt != one->attempt + 1)
      return wrong("double start", id, "its attempts are not 1, 2, 3");
    one->status = Status::kRunning;
    one->attempt = decision.id.attempt;
    one->started = now_;
    one->started_in = cycle_;
    one->promise.reset();
    one->pool = "cpu";
    for (const model::TaskPlacement& task : decision.placement) {
      if (!task.devices.empty()) one->pool = site_.cluster->shape(task.node).pool;
    }
  } else if (one->status == Status::kHeld) {
    return wrong("hold", id, "started while it was held");
  } else if (one->status != Status::kRunning || decision.id.attempt != one->attempt) {
    return wrong("double start", id, "started while it stops or after its end");
  }
  for (const model::TaskPlacement& task : decision.placement) add_task(*one, task);
  note_degraded(*one);
  if (one->degraded_since == now_) wrong("gang", id, "started below its minimum");
}

void Book::add_task(BookJob& job, const model::TaskPlacement& task) {
  const auto& groups = job.job->groups;
  if (task.group < 0 || task.group >= static_cast<std::int64_t>(groups.size()) || task.task < 0 ||
      task.task >= groups[static_cast<std::size_t>(task.group)].tasks) {
    return wrong("double start", job.id, "a task that it does not have");
  }
  for (const model::TaskPlacement& other : job.tasks) {
    if (other.group == task.group && other.task == task.task) {
      return wrong("double start", job.id, "a task of it runs twice");
    }
  }
  if (std::find(job.done.begin(), job.done.end(), std::pair{task.group, task.task}) !=
      job.done.end()) {
    return wrong("double start", job.id, "a task that has finished starts again");
  }
  if (const std::string what = rooms_.take(job.request(task), task); !what.empty()) {
    const auto node = static_cast<std::int64_t>(task.node.index());
    return wrong("capacity", job.id, what + " (node " + std::to_string(node) + ")");
  }
  if (failed(task.node)) wrong("capacity", job.id, "starts on a node that has failed");
  if (drained(task.node)) wrong("drain", job.id, "starts on a drained node");
  job.tasks.push_back(task);
  if (closed(task.node, now_, expected_end(job), job.job->queue)) {
    wrong("window", job.id, "starts on a node that a window closes before it is expected to end");
  }
}

void Book::read(const model::StopJob& decision) {
  BookJob* one = at(decision.id.job);
  if (one == nullptr || one->status != Status::kRunning || one->attempt != decision.id.attempt) {
    return wrong("lost job", decision.id.job, "stopped, but that attempt does not run");
  }
  one->status = Status::kStopping;
}

void Book::read(const model::ReserveFor& decision) {
  BookJob* one = at(decision.job);
  if (one == nullptr || !one->ready()) {
    return wrong("reservation", decision.job, "reserved for, but it does not wait");
  }
  if (decision.start <= now_) wrong("reservation", decision.job, "starts in the past");
  if (decision.slipped) ++one->slips;
  one->promised_before = std::exchange(one->promise, std::nullopt);
  one->promise = Promise{decision.start, decision.placement, cycle_};
}

void Book::read(const model::RejectJob& decision) {
  BookJob* one = at(decision.job);
  if (one == nullptr || one->status == Status::kEnded || one->holds()) {
    return wrong("lost job", decision.job, "rejected, but it does not wait");
  }
  finish(*one, End::kRejected);
}

// ---- the life of a job

void Book::give_back_all(BookJob& job) {
  for (const model::TaskPlacement& task : job.tasks) rooms_.give_back(job.request(task), task);
  job.tasks.clear();
  job.done.clear();
  job.degraded_since = kNever;
}

void Book::requeue(BookJob& job) {
  job.status = Status::kWaiting;
  job.blocked = is_blocked(job);
}

void Book::finish(BookJob& job, End end) {
  job.status = Status::kEnded;
  job.end = end;
  job.promise.reset();
}

void Book::note_degraded(BookJob& job) {
  const auto there = static_cast<std::int64_t>(job.tasks.size() + job.done.size());
  if (there >= job.minimum()) {
    job.degraded_since = kNever;
  } else if (job.degraded_since == kNever) {
    job.degraded_since = now_;
  }
}

void Book::unblock() {
  for (BookJob& one : jobs_) {
    if (one.status != Status::kWaiting || !one.blocked || is_blocked(one)) continue;
    one.blocked = false;
    one.age = now_;
    one.ready_since = cycle_;
  }
}

}  // namespace headroom::simtest
