// Event: something that happened to the cluster and that the scheduler must know. Events are
// checked, written to the journal, then applied; nothing else changes the state but decisions.
// Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/quantity.h"
#include "model/job.h"
#include "model/placement.h"
#include "model/queue.h"
#include "model/site.h"

namespace headroom::model {

struct JobSubmitted {
  JobId id;
  Job job;
  std::vector<std::int64_t> speed_permille;  // elastic: speed with 1, 2, … tasks, of one task
  base::Duration planned;  // run time to plan with, from history (P75); 0: nothing is known
  friend bool operator==(const JobSubmitted&, const JobSubmitted&) = default;
};
struct JobCancelled {
  JobId id;
  std::string by;
  friend bool operator==(const JobCancelled&, const JobCancelled&) = default;
};
struct JobChanged {
  JobId id;
  Job job;
  friend bool operator==(const JobChanged&, const JobChanged&) = default;
};
struct JobHeld {
  JobId id;
  bool held = true;  // false: the hold is over
  friend bool operator==(const JobHeld&, const JobHeld&) = default;
};

struct AllocationLaunching {
  AllocationId id;
  friend bool operator==(const AllocationLaunching&, const AllocationLaunching&) = default;
};
struct AllocationStarted {
  AllocationId id;
  friend bool operator==(const AllocationStarted&, const AllocationStarted&) = default;
};
struct AllocationEnded {
  enum class Outcome : std::uint8_t { kCompleted, kFailed, kStopped, kTimedOut };
  AllocationId id;
  Outcome outcome = Outcome::kCompleted;
  std::int64_t exit_code = 0;
  std::int64_t signal = 0;  // that ended it; 0: none
  bool out_of_memory = false;
  std::string detail;  // one line for people
  friend bool operator==(const AllocationEnded&, const AllocationEnded&) = default;
};
// One task of an allocation completed; the others go on. It counts as served in its gang.
struct TaskEnded {
  AllocationId id;
  std::int64_t group = 0;
  std::int64_t task = 0;
  friend bool operator==(const TaskEnded&, const TaskEnded&) = default;
};
struct AllocationLost {
  AllocationId id;
  friend bool operator==(const AllocationLost&, const AllocationLost&) = default;
};

struct NodeAdded {
  std::string name;
  NodeShape shape;
  friend bool operator==(const NodeAdded&, const NodeAdded&) = default;
};
struct NodeChanged {
  NodeId node;
  NodeShape shape;
  friend bool operator==(const NodeChanged&, const NodeChanged&) = default;
};
struct NodeRemoved {
  NodeId node;
  friend bool operator==(const NodeRemoved&, const NodeRemoved&) = default;
};
struct NodeDrained {
  NodeId node;
  std::string reason;
  bool drained = true;  // false: the drain is over
  friend bool operator==(const NodeDrained&, const NodeDrained&) = default;
};
struct NodeFailed {
  NodeId node;
  std::string reason;
  friend bool operator==(const NodeFailed&, const NodeFailed&) = default;
};
struct NodeRecovered {
  NodeId node;
  friend bool operator==(const NodeRecovered&, const NodeRecovered&) = default;
};

struct QueueChanged {
  Queue queue;
  bool removed = false;
  friend bool operator==(const QueueChanged&, const QueueChanged&) = default;
};
struct ReservationChanged {
  WindowSpec window;
  std::vector<NodeId> nodes;  // those that the window's pattern names
  bool maintenance = false;
  bool removed = false;
  friend bool operator==(const ReservationChanged&, const ReservationChanged&) = default;
};
struct RepartitionConfirmed {
  MigLayout layout;
  friend bool operator==(const RepartitionConfirmed&, const RepartitionConfirmed&) = default;
};
struct RepartitionFailed {
  MigLayout layout;
  std::string reason;
  friend bool operator==(const RepartitionFailed&, const RepartitionFailed&) = default;
};

// What history says of the jobs of a user and name in a queue: planning uses P75.
struct DurationsLearned {
  std::string user;
  std::string name;
  std::string queue;
  base::Duration p50;
  base::Duration p75;
  base::Duration p90;
  friend bool operator==(const DurationsLearned&, const DurationsLearned&) = default;
};

// Time has come for a scheduling cycle.
struct Cycle {
  friend bool operator==(const Cycle&, const Cycle&) = default;
};

using Event = std::variant<JobSubmitted, JobCancelled, JobChanged, JobHeld, AllocationLaunching,
                           AllocationStarted, AllocationEnded, TaskEnded, AllocationLost, NodeAdded,
                           NodeChanged, NodeRemoved, NodeDrained, NodeFailed, NodeRecovered,
                           QueueChanged, ReservationChanged, RepartitionConfirmed,
                           RepartitionFailed, DurationsLearned, Cycle>;

}  // namespace headroom::model
