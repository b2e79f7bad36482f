// JobRow and what hangs on it: what the store keeps of every job, also of those that have left the
// scheduler's state. Made from the records in the same transaction (projection.h), read by
// reader.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "model/decision.h"
#include "model/event.h"
#include "model/job.h"

namespace headroom::store {

// Those before kCompleted may still run. (Stored as numbers: new ones go to the end.)
enum class JobState : std::uint8_t {
  kWaiting,
  kHeld,
  kLaunching,  // holds resources, does not run yet
  kRunning,
  kStopping,
  kCompleted,
  kFailed,
  kCancelled,
  kTimedOut,
  kRejected
};
constexpr bool is_live(JobState state) { return state < JobState::kCompleted; }

// One job, or one element of an array.
struct JobRow {
  model::JobId id;
  std::string name;
  std::string queue;
  std::string user;
  model::JobKind kind = model::JobKind::kBatch;
  JobState state = JobState::kWaiting;
  std::int64_t priority = 0;
  std::int64_t tasks = 0;
  base::GpuMilli gpus;    // what it holds, or held last; before that what it asks for
  std::string gpu_model;  // the same; several it would take: joined by commas
  base::Time submitted;
  base::Time started;              // the latest attempt began to run; 0: it did not
  base::Time ended;                // for good; 0: not yet
  std::int64_t attempt = 0;        // 0: none yet
  std::vector<std::string> nodes;  // of the latest attempt, in the order of its tasks, each once
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;
  std::optional<model::StopJob::Reason> stopped;  // why the latest attempt was told to stop
  std::optional<model::RejectJob::Reason> rejected;
  std::int64_t needs = 0;  // of RejectJob
  std::int64_t most = 0;
  base::Time planned;         // start that is reserved for it; 0: none
  std::uint64_t changed = 0;  // sequence of the record that changed it last

  friend bool operator==(const JobRow&, const JobRow&) = default;
};

enum class AttemptOutcome : std::uint8_t { kOpen, kCompleted, kFailed, kStopped, kTimedOut, kLost };

// One attempt to run a job.
struct AllocationRow {
  model::AllocationId id;
  base::Time placed;    // its resources are held from here
  base::Time started;   // 0: it never ran
  base::Time stopping;  // told to stop; 0: never
  base::Time ended;     // 0: it holds them still
  AttemptOutcome outcome = AttemptOutcome::kOpen;
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;
  bool out_of_memory = false;
  std::string detail;
  std::optional<model::StopJob::Reason> stopped;
  model::JobId for_whom;           // that it was stopped for; number 0: nobody
  model::Placement placement;      // all tasks that it ever had
  std::vector<std::string> nodes;  // of `placement`, the same order

  friend bool operator==(const AllocationRow&, const AllocationRow&) = default;
};

// What happened to a job, in order.
struct TimelineEntry {
  enum class What : std::uint8_t {
    kHeld,
    kReleased,
    kChanged,
    kCancelled,    // detail: by whom
    kSlipped,      // its reserved start moved back; detail: to when, ms since 1970
    kTasksLost,    // detail: the node
    kTasksJoined,  // detail: how many
    // Not stored as such: they follow from the job and its attempts.
    kSubmitted,
    kPlaced,
    kStarted,
    kStopping,
    kAttemptEnded,
    kFinished
  };
  base::Time time;
  What what = What::kSubmitted;
  std::int64_t attempt = 0;  // 0: of no attempt
  std::string detail;
  friend bool operator==(const TimelineEntry&, const TimelineEntry&) = default;
};

}  // namespace headroom::store
