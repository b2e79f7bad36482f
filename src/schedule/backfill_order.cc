#include "schedule/backfill_order.h"

#include <algorithm>

#include "schedule/planner.h"

namespace headroom::schedule {

namespace {

__extension__ using Wide = __int128;

}  // namespace

bool BackfillOrder::later(const Turn& a, const Turn& b) {
  if (a.preferred != b.preferred) return b.preferred;
  if (a.priority != b.priority) return a.priority < b.priority;
  // wait / run, compared without dividing.
  const Wide ratio_a = Wide{a.wait} * b.run;
  const Wide ratio_b = Wide{b.wait} * a.run;
  if (ratio_a != ratio_b) return ratio_a < ratio_b;
  if (a.run != b.run) return a.run > b.run;
  if (a.since != b.since) return a.since > b.since;
  return a.id > b.id;
}

void BackfillOrder::begin(const State& state, const std::vector<JobSlot>& jobs,
                          const std::vector<bool>& preferred) {
  heap_.clear();
  heap_.reserve(jobs.size());
  for (const JobSlot slot : jobs) {
    const JobEntry& job = state.job(slot);
    const base::Duration run = planned_time(*job.spec, state.settings());
    heap_.push_back({.preferred = preferred[job.spec->queue.index()],
                     .priority = job.spec->job->priority,
                     .wait = base::between(job.queued_since, state.now()).value(),
                     .run = std::max<std::int64_t>(1, run.value()),
                     .since = job.queued_since,
                     .id = job.spec->id,
                     .job = slot});
  }
  std::make_heap(heap_.begin(), heap_.end(), later);
}

JobSlot BackfillOrder::next() {
  if (heap_.empty()) return JobSlot::none();
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const JobSlot job = heap_.back().job;
  heap_.pop_back();
  return job;
}

}  // namespace headroom::schedule
