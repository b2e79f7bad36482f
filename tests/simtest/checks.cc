#include "tests/simtest/checks.h"

#include <algorithm>

#include "tests/simtest/feasible.h"

namespace headroom::simtest {

namespace {

// Ends of what a policy stops for others follow its own order.
bool plain_order(const std::string& policy) {
  return policy == "fifo" || policy == "easy" || policy == "conservative" || policy == "headroom";
}

bool stops_others(const std::string& policy) { return policy == "las" || policy == "drf_preempt"; }

bool same_wish(const model::Job& a, const model::Job& b) {
  const auto equal = [](const model::TaskGroup& x, const model::TaskGroup& y) {
    return x.tasks == y.tasks && x.request == y.request;
  };
  return std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(), equal) &&
         a.queue == b.queue && a.user == b.user && a.topology == b.topology && a.gang == b.gang &&
         a.elastic == b.elastic && a.is_preemptible() == b.is_preemptible();
}

}  // namespace

bool earlier(const BookJob& a, const BookJob& b) {
  if (a.job->priority != b.job->priority) return a.job->priority > b.job->priority;
  if (a.age != b.age) return a.age < b.age;
  return a.id < b.id;
}

Checks::Checks(const Book& book, Findings& findings)
    : book_(book), findings_(findings), law_(book) {}

void Checks::before_cycle() {
  started_.clear();
  replaced_ = false;
  kept_.reset();
  std::erase_if(protected_,
                [&](model::JobId id) { return book_.find(id)->status == Status::kEnded; });
  allowed_before_.clear();
  for (const BookJob& job : book_.jobs()) {
    if (book_.site().policy != "fifo" || !job.ready()) continue;
    for (const Option& option : law_.options(job)) {
      if (law_.allows(job, option)) allowed_before_.insert({job.id, option.pool});
    }
  }
  short_ = shortages(book_);
  if (const BookJob* job = protected_job()) {
    const bool ahead = job->promise->start > book_.now() && job->promise->cycle > forgotten_in_;
    if (ahead && broken_promise(*job, {}).empty()) kept_ = Kept{job->id, job->promise->start};
  }
}

// Protected jobs keep no other order than that of all jobs: those that wait, then the rest.
void Checks::restarted() {
  forget_plans();
  std::sort(protected_.begin(), protected_.end(), [&](model::JobId a, model::JobId b) {
    const BookJob& x = *book_.find(a);
    const BookJob& y = *book_.find(b);
    if (x.ready() != y.ready()) return x.ready();
    return x.ready() ? earlier(x, y) : a < b;
  });
}

void Checks::decided(const model::Decision& decision) {
  if (findings_.any()) return;
  if (const auto* start = std::get_if<model::StartJob>(&decision)) {
    const BookJob& job = *book_.find(start->id.job);
    started(job, job.started_in != book_.cycle() || job.tasks.size() > start->placement.size());
  } else if (const auto* reject = std::get_if<model::RejectJob>(&decision)) {
    rejected(*book_.find(reject->job));
  } else if (const auto* reserve = std::get_if<model::ReserveFor>(&decision)) {
    const BookJob& job = *book_.find(reserve->job);
    // Other nodes, and later: somebody was put before it. Slurm plans anew in each cycle.
    if (const auto& before = job.promised_before;
        before && before->cycle > forgotten_in_ && before->start < reserve->start &&
        before->placement != reserve->placement && !reserve->slipped &&
        book_.site().policy != "slurm") {
      findings_.add("reservation", name_of(job.id) + " moves back, and that is not counted");
    }
    if (book_.site().policy == "conservative") return;  // all hold one: nobody is put first
    const bool known = std::find(protected_.begin(), protected_.end(), job.id) != protected_.end();
    if (job.slips >= book_.site().settings.max_slips && !known) protected_.push_back(job.id);
  }
}

void Checks::started(const BookJob& job, bool again) {
  if (again) {
    replaced_ = true;
  } else {
    started_.push_back(job.id);
  }
  const Law::Broken broken = law_.broken(job, again);
  if (!broken.checker.empty()) {
    findings_.add(broken.checker, name_of(job.id) + " starts: " + broken.text);
  }
  cells(job);
  const std::string wrong = wrong_domain(job, *book_.site().cluster);
  if (!wrong.empty()) findings_.add("domain", name_of(job.id) + ": " + wrong);
  for (const model::TaskPlacement& task : job.tasks) {
    const std::string& pool = book_.site().cluster->shape(task.node).pool;
    if (!task.devices.empty() && pool != job.pool) {
      findings_.add("domain", name_of(job.id) + " has GPUs of two pools");
    }
  }
}

void Checks::cells(const BookJob& started) {
  if (started.job->is_preemptible()) return;
  const Shortages now = shortages(book_);
  for (const auto& [layer, missing] : now) {
    if (missing > short_[layer]) {
      findings_.add("cells", name_of(started.id) + " takes a cell that is promised to others in " +
                                 layer.first);
    }
  }
  short_ = now;
}

void Checks::rejected(const BookJob& job) {
  if (book_.blocked_for_ever(job)) return;
  const Rooms empty(*book_.site().cluster);
  for (const Option& option : law_.options(job)) {
    const auto fits = feasible(job, option.pool, empty, [](model::NodeId) { return true; });
    if (fits.value_or(false) && law_.could_allow(job, option)) {
      findings_.add("rejection", name_of(job.id) + " could run in pool " + option.pool);
    }
  }
}

void Checks::after_cycle(bool done) {
  gangs();
  if (plain_order(book_.site().policy)) order();
  if (done) conservation();
  promises();
  protection();
}

void Checks::gangs() {
  for (const BookJob& job : book_.jobs()) {
    const base::Duration limit = job.job->time;
    if (job.status == Status::kRunning && limit > base::Duration{0} &&
        book_.now() >= job.started + limit) {
      findings_.add("time limit", name_of(job.id) + " runs longer than it may");
    }
    if (job.status == Status::kWaiting && !job.tasks.empty()) {
      findings_.add("gang", name_of(job.id) + " holds something while it waits");
    }
    if (job.status != Status::kRunning || job.degraded_since == kNever) continue;
    if (book_.now() >= job.degraded_since + book_.site().settings.gang_grace) {
      findings_.add("gang", name_of(job.id) + " runs below its minimum after the grace");
    }
  }
}

void Checks::order() {
  for (const model::JobId id : started_) {
    // What was delayed too often comes first.
    if (std::find(protected_.begin(), protected_.end(), id) != protected_.end()) continue;
    twins(*book_.find(id));
    if (book_.site().policy == "fifo") fifo(*book_.find(id));
  }
}

// A longer twin may not overtake; a shorter one may, ahead of a reservation.
void Checks::twins(const BookJob& started) {
  for (const BookJob& waits : book_.jobs()) {
    if (!waits.ready() || waits.ready_since == book_.cycle()) continue;
    if (!earlier(waits, started)) continue;
    if (!same_wish(*waits.job, *started.job)) continue;
    if (book_.planned(waits) > book_.planned(started) || !law_.may_run(waits)) continue;
    findings_.add("order", name_of(started.id) + " starts before " + name_of(waits.id) +
                               ", which asks for the same and is first in order");
  }
}

void Checks::fifo(const BookJob& started) {
  for (const BookJob& waits : book_.jobs()) {
    if (!waits.ready() || waits.ready_since == book_.cycle()) continue;
    if (!earlier(waits, started)) continue;
    for (const Option& option : law_.options(waits)) {
      if (option.pool != started.pool || !law_.allows(waits, option)) continue;
      findings_.add("order", name_of(started.id) + " starts before " + name_of(waits.id) +
                                 ", which waits for the same pool and is first in order");
    }
  }
}

// Under `fifo` only the first job of each pool that may start has a right to.
void Checks::conservation() {
  if (stops_others(book_.site().policy) && wave_under_way()) return;
  std::vector<const BookJob*> waiting;
  for (const BookJob& job : book_.jobs()) {
    if (job.ready()) waiting.push_back(&job);
  }
  const bool strict = book_.site().policy == "fifo";
  std::vector<std::string> blocked;  // pools
  std::sort(waiting.begin(), waiting.end(),
            [](const BookJob* a, const BookJob* b) { return earlier(*a, *b); });
  for (const BookJob* job : waiting) {
    for (const Option& option : law_.options(*job)) {
      if (std::find(blocked.begin(), blocked.end(), option.pool) != blocked.end()) continue;
      const bool allowed = law_.allows(*job, option);
      if (allowed && room_beside_promises(*job, option)) {
        findings_.add("conservation",
                      name_of(job->id) + " waits beside room for it in pool " + option.pool);
      }
      // What is promised to a queue is not always known for certain, and a job that stopped the
      // pool in its turn may have lost its right to what started elsewhere, later in the cycle.
      const bool perhaps = allowed || !job->job->is_preemptible() ||
                           allowed_before_.contains({job->id, option.pool});
      if (strict && perhaps) blocked.push_back(option.pool);
    }
  }
}

// A policy that stops jobs starts nobody until they are gone.
bool Checks::wave_under_way() const {
  return std::any_of(book_.jobs().begin(), book_.jobs().end(), [](const BookJob& job) {
    return job.status == Status::kStopping && !job.cancelled;
  });
}

bool Checks::room_beside_promises(const BookJob& job, const Option& option) const {
  const base::Time end = book_.now() + book_.planned(job);
  std::vector<bool> taken(book_.site().cluster->nodes.size(), false);
  for (const BookJob& other : book_.jobs()) {
    if (!other.promise || other.promise->start >= end || other.id == job.id) continue;
    for (const auto& task : other.promise->placement) taken[task.node.index()] = true;
  }
  const auto fits = feasible(job, option.pool, book_.rooms(), [&](model::NodeId node) {
    return book_.open(node) && !taken[node.index()] &&
           !book_.closed(node, book_.now(), end, job.job->queue);
  });
  return fits.value_or(false);
}

std::string Checks::broken_promise(const BookJob& job,
                                   const std::vector<const BookJob*>& claims) const {
  const base::Time start = job.promise->start;
  Rooms rooms(*book_.site().cluster);
  for (const BookJob& other : book_.jobs()) {
    if (!other.holds() || book_.expected_end(other) <= start) continue;
    for (const auto& task : other.tasks) rooms.take(other.request(task), task);
  }
  for (const BookJob* other : claims) {
    const base::Time from = other->promise->start;
    if (from > start || from + book_.planned(*other) <= start) continue;
    for (const auto& task : other->promise->placement) rooms.take(other->request(task), task);
  }
  const base::Time end = start + book_.planned(job);
  for (const model::TaskPlacement& task : job.promise->placement) {
    const std::string wrong = rooms.take(job.request(task), task);
    if (!wrong.empty()) return wrong;
    if (!book_.open(task.node)) return "its node is drained or has failed";
    if (book_.closed(task.node, start, end, job.job->queue)) return "a window closes its node";
  }
  return {};
}

// The promises of this cycle, beside each other.
void Checks::promises() {
  std::vector<const BookJob*> made;
  for (const BookJob& job : book_.jobs()) {
    if (!job.promise || job.promise->cycle != book_.cycle()) continue;
    made.push_back(&job);
  }
  for (const BookJob* job : made) {
    std::vector<const BookJob*> others;
    std::copy_if(made.begin(), made.end(), std::back_inserter(others),
                 [&](const BookJob* other) { return other != job; });
    const std::string wrong = broken_promise(*job, others);
    if (!wrong.empty()) {
      findings_.add("reservation",
                    name_of(job->id) + " cannot start when it was promised: " + wrong);
    }
  }
}

const BookJob* Checks::protected_job() const {
  for (const model::JobId id : protected_) {
    const BookJob* job = book_.find(id);
    if (job->ready()) return job->promise ? job : nullptr;
  }
  return nullptr;
}

// The pool of its GPUs.
std::string Checks::pool_of(const Promise& promise) const {
  for (const model::TaskPlacement& task : promise.placement) {
    if (!task.devices.empty()) return book_.site().cluster->shape(task.node).pool;
  }
  return "cpu";
}

// Lost members of gangs are replaced ahead of everything; else nobody may delay the job.
void Checks::protection() {
  if (!kept_ || replaced_) return;
  const BookJob& job = *book_.find(kept_->job);
  if (!job.ready() || !law_.may_run(job, pool_of(*job.promise))) return;
  if (job.promise->start > kept_->start) {
    findings_.add("protection", name_of(job.id) + " is protected, but was moved back");
  } else if (const std::string wrong = broken_promise(job, {}); !wrong.empty()) {
    findings_.add("protection", name_of(job.id) + " is protected, but was delayed: " + wrong);
  }
}

}  // namespace headroom::simtest
