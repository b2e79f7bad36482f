// What policies that stop jobs have in common.
//
//   least run  a job that runs for less than `least_run` in this attempt is not stopped: it keeps
//              at least one checkpoint, and nobody is started and stopped in a circle.
//   one wave   nothing starts in the cycle that stops jobs, nor until they are gone: what they free
//              is given out at once, in the policy's own order.
#pragma once

#include <algorithm>

#include "schedule/state.h"

namespace headroom::schedule {

inline base::Time stoppable_from(const JobEntry& job, base::Duration least_run) {
  return job.spec->preemptible ? job.started + least_run : kNever;
}

// A gang that lacks members is mended or requeued by the cycle itself.
inline bool stoppable(const State& state, JobSlot slot, base::Duration least_run) {
  const JobEntry& job = state.job(slot);
  return job.status == JobStatus::kRunning && job.degraded_since == kNever &&
         stoppable_from(job, least_run) <= state.now();
}

// When the next running job may be stopped; kNever: all may, or may never.
inline base::Time next_stoppable(const State& state, base::Duration least_run) {
  base::Time first = kNever;
  for (const JobSlot slot : state.running()) {
    const base::Time from = stoppable_from(state.job(slot), least_run);
    if (from > state.now()) first = std::min(first, from);
  }
  return first;
}

// A job that was stopped for another has not let go yet: nothing starts.
inline bool wave_under_way(const State& state) {
  return std::any_of(state.running().begin(), state.running().end(), [&](JobSlot slot) {
    return state.job(slot).status == JobStatus::kStopping && !state.job(slot).cancelled;
  });
}

// Gangs below their minimum get what becomes free first: nobody is stopped for another meanwhile.
inline bool may_stop(const State& state) {
  return !wave_under_way(state) &&
         std::none_of(state.lacking().begin(), state.lacking().end(),
                      [&](JobSlot slot) { return state.job(slot).degraded_since != kNever; });
}

}  // namespace headroom::schedule
