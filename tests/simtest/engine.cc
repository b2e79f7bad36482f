#include "tests/simtest/engine.h"

#include <algorithm>

namespace headroom::simtest {

namespace {

using Outcome = model::AllocationEnded::Outcome;

constexpr std::int64_t kMinute = 60'000;

}  // namespace

// The job whose attempt this is, while it holds something or did not confirm its end.
const BookJob* Engine::holder(model::AllocationId id) const {
  const BookJob* job = book_.find(id.job);
  return job != nullptr && job->holds() && job->attempt == id.attempt ? job : nullptr;
}

// Members that join a gang which runs change nothing.
void Engine::carry_out(const model::StartJob& start) {
  const BookJob& job = *book_.find(start.id.job);
  if (job.degraded_since == kNever && !plan_[start.id].planned) plan_end(start.id);
}

void Engine::carry_out(const model::StopJob& stop) {
  const bool overdue = stop.reason == model::StopJob::Reason::kTimeLimit;
  confirm_stop(stop.id, overdue ? Outcome::kTimedOut : Outcome::kStopped);
}

// A run takes from a tenth to one and a half of what was planned; one in twelve gets lost. Of a
// gang the tasks may end one by one.
void Engine::plan_end(model::AllocationId id) {
  const BookJob& job = *holder(id);
  const std::int64_t planned = book_.planned(job).value();
  const base::Duration takes{
      std::max<std::int64_t>(kMinute, planned * rng_.between(10, 150) / 100)};
  plan_[id].planned = true;
  const std::uint64_t version = ++plan_[id].version;
  // Past its limit it ends by itself in one of two cases; else the scheduler must stop it.
  const bool ends = job.job->time > base::Duration{0} && takes > job.job->time && rng_.chance(1, 2);
  const base::Duration runs = ends ? job.job->time : takes;
  const std::uint64_t dice = rng_.below(12);
  const Outcome outcome = ends       ? Outcome::kTimedOut
                          : dice < 2 ? Outcome::kFailed
                                     : Outcome::kCompleted;
  const bool lost = dice == 2;
  if (job.tasks.size() > 1 && rng_.chance(1, 3)) {
    for (const model::TaskPlacement& task : job.tasks) {
      if (rng_.chance(1, 3)) continue;  // it ends with the job
      const model::TaskEnded event{id, task.group, task.task};
      at_(book_.now() + base::Duration{runs.value() * rng_.between(50, 99) / 100},
          [this, event]() -> std::optional<model::Event> {
            const BookJob* now = holder(event.id);
            if (now == nullptr || now->status != Status::kRunning) return {};
            const bool there =
                std::any_of(now->tasks.begin(), now->tasks.end(), [&](const auto& one) {
                  return one.group == event.group && one.task == event.task;
                });
            if (!there) return {};
            return event;
          });
    }
  }
  at_(book_.now() + runs, [=, this]() -> std::optional<model::Event> {
    const BookJob* now = holder(id);
    if (now == nullptr || plan_[id].version != version) return {};
    if (lost) return model::AllocationLost{id};
    return model::AllocationEnded{id, outcome, 0};
  });
}

// At once or within ten minutes; meanwhile it may end by itself.
void Engine::confirm_stop(model::AllocationId id, Outcome outcome) {
  const base::Duration late{rng_.chance(1, 2) ? 1 : rng_.between(1, 600) * 1000};
  const bool lost = rng_.chance(1, 10);
  at_(book_.now() + late, [=, this]() -> std::optional<model::Event> {
    if (holder(id) == nullptr) return {};
    if (lost) return model::AllocationLost{id};
    return model::AllocationEnded{id, outcome, 0};
  });
}

void Engine::happened(const model::Event& event) {
  if (const auto* cancelled = std::get_if<model::JobCancelled>(&event)) {
    const BookJob& job = *book_.find(cancelled->id);
    if (job.status == Status::kStopping) confirm_stop({job.id, job.attempt}, Outcome::kStopped);
  }
  const bool lost = std::holds_alternative<model::NodeFailed>(event) ||
                    std::holds_alternative<model::RepartitionFailed>(event);
  if (!lost) return;
  // A gang that lost too much does not go on; some of them crash.
  for (const BookJob& job : book_.jobs()) {
    if (job.status != Status::kRunning || job.degraded_since != book_.now()) continue;
    const model::AllocationId id{job.id, job.attempt};
    plan_[id].planned = false;
    const std::uint64_t version = ++plan_[id].version;
    if (!rng_.chance(1, 4)) continue;
    const Outcome outcome = rng_.chance(1, 2) ? Outcome::kFailed : Outcome::kStopped;
    at_(book_.now() + base::Duration{rng_.between(1, 240) * 1000},
        [=, this]() -> std::optional<model::Event> {
          if (holder(id) == nullptr || plan_[id].version != version) return {};
          return model::AllocationEnded{id, outcome, 0};
        });
  }
}

}  // namespace headroom::simtest
