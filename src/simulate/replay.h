// replay: a history of jobs in virtual time, through the very scheduler that a server runs. Time
// jumps from event to event; a cycle is decided after each. It ends with the last job.
//
// What is done with a stop or a lost node: the job loses what it did since its last checkpoint and
// pays its restart cost when it runs again (job's own values, else the defaults here). The history
// says how a job ended in the end, so a job that failed there is not tried again here.
//
// Pure: the same arguments give the same result and digest on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "model/decision.h"
#include "model/event.h"
#include "model/history.h"
#include "model/queue.h"
#include "schedule/policies.h"
#include "schedule/state.h"
#include "simulate/cause.h"
#include "simulate/faults.h"
#include "simulate/timeline.h"

namespace headroom::simulate {

struct ReplayInput {
  std::shared_ptr<const model::Cluster> cluster;
  std::vector<model::Queue> queues;
  std::shared_ptr<const model::History> jobs;
  std::vector<model::ReservationChanged> windows;  // reservations and maintenance, known from start
  std::vector<Outage> outages;
  FaultModel faults;
  std::uint64_t seed = 0;  // of failures and of placements that draw
  std::string policy = "headroom";
  std::string placement = "headroom_learned";
  schedule::Settings settings;
  schedule::PolicySettings policy_settings;
  bool plan_by_limit = false;  // by the job's own limit instead of the prediction of its run time
  base::Duration checkpoint_every{30 * 60'000};  // where a job does not say
  base::Duration restart_cost{5 * 60'000};
};

// What became of one job.
struct JobRun {
  std::uint32_t job = 0;  // index in the history
  base::Time submitted;
  base::Time first_start = schedule::kNever;
  base::Time end = schedule::kNever;
  std::int64_t gpu_milli = 0;  // that it holds while it runs
  base::Duration ran;          // in all attempts
  base::Duration lost;         // of that: done twice, or restart cost
  std::int32_t starts = 0;
  std::int32_t nodes = 0;  // of its last start
  schedule::JobOutcome outcome = schedule::JobOutcome::kUnknown;
  std::optional<model::RejectJob::Reason> rejected;
};

// Why a stretch ended.
enum class StretchEnd : std::uint8_t {
  kDone,       // with the job
  kJoined,     // members joined: the next one follows at once
  kNodeLost,   // a node with some of its tasks failed
  kStopped,    // for another job
  kTimeLimit,  // with the job's own limit
};

// A time in which all that a job needs ran without a break.
struct Stretch {
  std::uint32_t job = 0;
  base::Time start;
  base::Time end;
  base::Duration restart;  // cost of it, paid first
  base::Duration kept;     // then work that counts; the rest will be done again
  std::int64_t gpu_milli = 0;
  std::int32_t nodes = 0;
  StretchEnd how = StretchEnd::kDone;
};

// What it looked like at one time, after its cycle. There are at most kMostSamples, evenly spread.
struct Sample {
  base::Time time;
  std::array<std::int32_t, kCauses> waiting{};  // jobs, by why they wait
};
constexpr std::size_t kMostSamples = 512;

// GPU time from the first submission to the last end, in GPU milli x ms.
struct GpuTime {
  std::int64_t capacity = 0;  // of nodes that have not failed
  std::int64_t allocated = 0;
  std::int64_t useful = 0;  // of that: work that counted
  std::int64_t idle = 0;    // on nodes that have not failed
  // Of the idle: what the typical GPU tasks of the history could not have used, the mean over their
  // classes by frequency (schedule/fragmentation.h).
  std::int64_t unusable = 0;
  // Of the idle: while jobs waited for its pool, by why. What is idle on nodes that are reserved or
  // under maintenance goes to kWindow, the rest to the reason of the pool's first job that waits.
  std::array<std::int64_t, kCauses> idle_waiting{};
};

struct ReplayResult {
  std::vector<JobRun> jobs;        // in the order of the history
  std::vector<Stretch> stretches;  // by end, then as they ended
  std::vector<Sample> samples;     // by time
  Timeline timeline;
  base::Time first;  // first submission
  base::Time last;   // last end
  GpuTime gpu;
  std::int64_t preemptions = 0;
  std::int64_t node_failures = 0;
  std::int64_t cycles = 0;
  std::uint64_t digest = 0;  // over all decisions
};

// Errors: an unknown policy or placement, a job that `check` refuses, no jobs.
base::Result<ReplayResult> replay(const ReplayInput& input);

}  // namespace headroom::simulate
