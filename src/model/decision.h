// Decision: what a scheduling cycle decided. Decisions are written to the journal and applied
// before an engine hears of them; applying one never decides again. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/quantity.h"
#include "model/placement.h"

namespace headroom::model {

struct StartJob {
  AllocationId id;
  Placement placement;
  friend bool operator==(const StartJob&, const StartJob&) = default;
};

struct StopJob {
  enum class Reason : std::uint8_t {
    kCancelled,
    kTimeLimit,
    kShrunk,
    kConsolidated,
    kReclaimed,
    kPreempted,
    kNodeLost,
    kRequeued  // somebody asked for it
  };
  AllocationId id;
  Reason reason = Reason::kCancelled;
  JobId for_whom;  // number 0: for nobody
  friend bool operator==(const StopJob&, const StopJob&) = default;
};

struct ResizeJob {
  AllocationId id;
  Placement placement;  // all tasks that run afterwards
  friend bool operator==(const ResizeJob&, const ResizeJob&) = default;
};

// Cut a GPU anew. Nothing starts on it before the engine has confirmed.
struct RepartitionGpu {
  MigLayout layout;
  friend bool operator==(const RepartitionGpu&, const RepartitionGpu&) = default;
};

// Nodes and devices kept for a waiting job from `start` on.
struct ReserveFor {
  JobId job;
  base::Time start;
  Placement placement;
  bool slipped = false;  // it was moved back because others were put before it
  friend bool operator==(const ReserveFor&, const ReserveFor&) = default;
};

// No state of the cluster could run the job.
struct RejectJob {
  enum class Reason : std::uint8_t {
    kNoSuchGpuModel,         // or none with so much memory
    kTooLargeForAnyNode,     // whole GPUs of one task; 0 needed: its CPUs, memory or MIG profile
    kTooLargeForTheCluster,  // tasks
    kNoMatchingLabels,
    kNoIsolationForShares,  // parts of a GPU, in a queue that is not `sharing: cooperative`
    kAboveQueueLimit,       // thousandths of the pool's unit
    kAboveGuarantee,        // the same; it cannot be preempted, and runs within guarantees only
    kTopologyTooSmall,      // tasks; without the topology it could run
    kDependencyNeverHolds   // a job that it waits for has ended otherwise
  };
  JobId job;
  Reason reason = Reason::kTooLargeForTheCluster;
  std::int64_t needs = 0;  // in the reason's own unit
  std::int64_t most = 0;   // the most that could run
  friend bool operator==(const RejectJob&, const RejectJob&) = default;
};

using Decision = std::variant<StartJob, StopJob, ResizeJob, RepartitionGpu, ReserveFor, RejectJob>;

}  // namespace headroom::model
