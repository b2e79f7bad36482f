#include "schedule/backfill_order.h"

#include <algorithm>

#include "schedule/planner.h"

namespace headroom::schedule {

namespace {

// 2^-20; a wait of 278 years still fits.
std::int64_t response_ratio(base::Duration wait, std::int64_t run) {
  return (wait.value() << 20) / run;
}

}  // namespace

void BackfillOrder::begin(const State& state, const std::vector<JobSlot>& jobs,
                          const std::vector<bool>& preferred) {
  turns_.clear();
  turns_.reserve(jobs.size());
  next_ = 0;
  for (const JobSlot slot : jobs) {
    const JobEntry& job = state.job(slot);
    const auto run = std::max<std::int64_t>(1, planned_time(*job.spec, state.settings()).value());
    const base::Duration wait = base::between(job.queued_since, state.now());
    turns_.push_back({.preferred = preferred[job.spec->queue.index()],
                      .priority = job.spec->job->priority,
                      .ratio = response_ratio(wait, run),
                      .run = run,
                      .since = job.queued_since,
                      .job = slot});
  }
  std::sort(turns_.begin(), turns_.end(), [&](const Turn& a, const Turn& b) {
    if (a.preferred != b.preferred) return a.preferred;
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.ratio != b.ratio) return a.ratio > b.ratio;
    if (a.run != b.run) return a.run < b.run;
    if (a.since != b.since) return a.since < b.since;
    return state.job(a.job).spec->id < state.job(b.job).spec->id;
  });
}

JobSlot BackfillOrder::next() {
  return next_ < turns_.size() ? turns_[next_++].job : JobSlot::none();
}

}  // namespace headroom::schedule
