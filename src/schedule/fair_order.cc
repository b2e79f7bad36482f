#include "schedule/fair_order.h"

#include <algorithm>

#include "schedule/planner.h"

namespace headroom::schedule {

namespace {

constexpr std::int64_t kOvertaken = 8;  // run times; measured in docs/decisions/0007

}  // namespace

bool FairOrder::later(const Turn& a, const Turn& b) {
  if (a.below != b.below) return b.below;
  if (a.priority != b.priority) return a.priority < b.priority;
  if (a.due != b.due) return a.due > b.due;
  return a.id > b.id;
}

void FairOrder::begin(const State& state, const std::vector<bool>& below) {
  heap_.clear();
  heap_.reserve(state.all_waiting().size());
  for (const JobSlot slot : state.all_waiting()) {
    const JobEntry& job = state.job(slot);
    const base::Duration run = planned_time(*job.spec, state.settings());
    heap_.push_back({.below = below[job.spec->queue.index()],
                     .priority = job.spec->job->priority,
                     .due = job.queued_since.value() + kOvertaken * run.value(),
                     .id = job.spec->id,
                     .job = slot});
  }
  std::make_heap(heap_.begin(), heap_.end(), later);
}

JobSlot FairOrder::next() {
  if (heap_.empty()) return JobSlot::none();
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const JobSlot job = heap_.back().job;
  heap_.pop_back();
  return job;
}

}  // namespace headroom::schedule
