#include "schedule/fair_order.h"

#include <algorithm>

namespace headroom::schedule {

namespace {

constexpr std::int64_t kOvertaken = 8;  // run times; measured in docs/decisions/0007

}  // namespace

bool FairOrder::earlier(const Turn& a, const Turn& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.due != b.due) return a.due < b.due;
  return a.id < b.id;
}

FairOrder::Turn FairOrder::turn_of(const State& state, JobSlot slot) {
  const JobEntry& job = state.job(slot);
  const base::Duration run = planned_time(*job.spec, state.settings());
  return {.priority = job.spec->job->priority,
          .due = job.queued_since.value() + kOvertaken * run.value(),
          .id = job.spec->id,
          .job = slot,
          .queue = job.spec->queue};
}

void FairOrder::begin(const State& state, const std::vector<bool>& below) {
  below_ = below;
  next_ = 0;
  bring_up_to_date(state);
}

void FairOrder::bring_up_to_date(const State& state) {
  listed_.assign(state.job_slots(), false);
  std::erase_if(turns_, [&](const Turn& turn) {
    if (turn.job.index() >= state.job_slots()) return true;
    const JobEntry& job = state.job(turn.job);
    const bool waits = job.spec && job.status == JobStatus::kWaiting;
    if (!waits || turn_of(state, turn.job) != turn) return true;
    listed_[turn.job.index()] = true;
    return false;
  });
  const auto known = static_cast<std::ptrdiff_t>(turns_.size());
  for (const JobSlot slot : state.all_waiting()) {
    if (!listed_[slot.index()]) turns_.push_back(turn_of(state, slot));
  }
  std::sort(turns_.begin() + known, turns_.end(), earlier);
  std::inplace_merge(turns_.begin(), turns_.begin() + known, turns_.end(), earlier);
}

JobSlot FairOrder::next() {
  while (next_ < 2 * turns_.size()) {
    const bool first = next_ < turns_.size();
    const Turn& turn = turns_[next_++ % turns_.size()];
    if (below_[turn.queue.index()] == first) return turn.job;
  }
  return JobSlot::none();
}

}  // namespace headroom::schedule
