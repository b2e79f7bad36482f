// Observed: how far a replay can be trusted. The history tells when its jobs truly started; the
// same jobs replayed under the policy that was in force must wait about as long and use about as
// much, or nothing that a replay says of another policy can be believed.
//
// Span     a dump of accounting has the jobs that ended after some moment, and what ran before it
//          is not known. `from` is that moment where it is told, else the first end in the dump:
//          every job that held anything later is there. `to` is the last submission; after it the
//          load is not the whole load.
// Replayed jobs that ran at `from` are submitted when they truly started; those that waited then
//          are submitted just before `from`, in their order.
// Turnaround  when a job ends, its GPUs are not another's at once: the node is cleaned up, and the
//          scheduler has to look. How long that takes is measured: from the last end on a node to
//          the start of a job that had waited for it, the mean of the middle half. In the replay
//          every job holds its GPUs for so much longer.
// Compared the wait from submission (or begin time) to start, of jobs that asked for GPUs, were
//          submitted from then on and started; not of requeued ones (the accounting has the start
//          of their last attempt) nor of those that depended on others. Use is GPU time held in the
//          span over what there was; of a requeued job it has the last attempt, in both.
// Units    seconds; use is 0..1.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "simulate/replay.h"
#include "simulate/summary.h"

namespace headroom::simulate {

constexpr double kObservedPart = 0.15;      // a figure may be off by this part of what was observed
constexpr std::int64_t kObservedJobs = 30;  // fewer have no P90 to speak of

struct Span {
  base::Time from;
  base::Time to;
};

struct Measured {
  Spread wait_s;
  double utilisation = 0;
};

// Of a job that is compared.
struct Waits {
  std::uint32_t job = 0;  // index in the history that was replayed
  double observed_s = 0;
  double replayed_s = 0;
};

struct Observed {
  Span span;
  double turnaround_s = 0;
  double resolution_s = 0;
  Measured observed;
  Measured replayed;
  std::vector<Waits> waits;
  std::int64_t compared = 0;  // jobs; the others, by the first reason that holds:
  std::int64_t without_gpus = 0;
  std::int64_t began_before = 0;  // submitted before the span
  std::int64_t requeued = 0;
  std::int64_t dependent = 0;
  std::int64_t cannot_run = 0;  // on this cluster, though it ran then
  bool p50_is_close = false;
  bool p90_is_close = false;
  bool use_is_close = false;

  bool enough_jobs() const { return compared >= kObservedJobs; }
  bool same_cluster() const { return cannot_run * 100 <= compared; }
  bool validated() const {
    return p50_is_close && p90_is_close && use_is_close && enough_jobs() && same_cluster();
  }
};

// `begin`: of the dump; 0: not known. Error: no job has a start and an end, or the span is empty.
base::Result<Span> span_of(const model::History& history, base::Time begin = {});

// Measured on jobs of one node. 0: nothing waited.
base::Duration turnaround_of(const model::History& history);

// The history to replay.
model::History from_span(const model::History& history, const Span& span,
                         base::Duration turnaround);

// What is compared beside what was replayed.
struct Terms {
  Span span;
  base::Duration turnaround;
  base::Duration resolution;  // waits may be off by this much, too: how coarse accounting is
};

// `input.jobs` is what from_span made, `result` its replay.
Observed compare_observed(const ReplayInput& input, const ReplayResult& result, const Terms& terms);

}  // namespace headroom::simulate
