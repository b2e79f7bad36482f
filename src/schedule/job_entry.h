// JobEntry: one job that is not finished, as the scheduler keeps it: what was asked (immutable,
// shared) and where it stands (flat).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "model/event.h"
#include "model/job.h"
#include "model/placement.h"
#include "schedule/cluster_state.h"
#include "schedule/queue_tree.h"

namespace headroom::schedule {

using JobSlot = base::Id<struct JobSlotTag>;

constexpr base::Time kNever{std::numeric_limits<std::int64_t>::max()};

// A pool that can run the job, and what the job would be charged there, in thousandths.
struct PoolOption {
  PoolId pool;
  std::int64_t amount = 0;  // all tasks that it starts with
  std::int64_t least = 0;   // its gang minimum
  // Jobs with equal keys ask for the same: what one is refused the other is refused as well.
  std::uint64_t key = 0;
};

// What was asked, worked out once at submission.
struct JobSpec {
  model::JobId id;
  std::shared_ptr<const model::Job> job;  // the elements of an array share it
  QueueId queue;
  std::uint32_t user = 0;           // number of the user's name in the state
  std::vector<RequestId> requests;  // by group
  std::vector<PoolOption> pools;    // in order of preference; empty: can never run
  std::int64_t tasks = 0;           // that it starts with: all; an elastic job its minimum
  std::int64_t gang_minimum = 0;    // fewest that may run
  base::Duration planned;           // run time to plan with; 0: not known
  bool preemptible = true;
};

enum class JobStatus : std::uint8_t {
  kHeld,      // by its user
  kBlocked,   // by a dependency or its begin time
  kWaiting,   // in the order of its queue
  kRunning,   // launching or running: holds resources
  kStopping,  // told to stop; holds resources until the engine confirms the end
};

struct JobEntry {
  std::shared_ptr<const JobSpec> spec;  // nullptr: a free slot
  JobStatus status = JobStatus::kWaiting;
  PoolId pool;                // charged, while it holds resources
  std::int64_t charged = 0;   // thousandths of the pool's unit
  std::int64_t running = 0;   // tasks that hold resources
  std::int64_t finished = 0;  // tasks that completed: they count as served
  std::vector<std::pair<std::int32_t, std::int32_t>> done;  // those: group and index
  std::int64_t attempt = 0;
  base::Time submitted;
  base::Time queued_since;  // its age counts from here; kept when it is requeued
  base::Time started;       // this attempt
  base::Time expected_end;
  base::Time degraded_since = kNever;  // has fewer tasks than its gang minimum since then
  base::Time planned_start = kNever;   // of its reservation
  std::int32_t slips = 0;              // times its reservation moved back by another's doing
  std::int32_t failures = 0;
  std::int32_t evictions = 0;
  std::int64_t attained = 0;     // thousandths x milliseconds held in earlier attempts
  bool cancelled = false;        // stops for good
  std::int32_t first_task = -1;  // head of its list of tasks
};

// A task that holds resources; stands at the index of its allocation.
struct TaskEntry {
  JobSlot job;
  std::int32_t group = 0;
  std::int32_t index = 0;  // in the group
  std::int32_t next = -1;  // of the same job
};

// The list of a job's tasks, as a range of allocations. Good until a task comes or goes.
class JobTasks {
 public:
  class Iterator {
   public:
    Iterator(const std::vector<TaskEntry>& tasks, std::int32_t at) : tasks_(&tasks), at_(at) {}
    AllocationId operator*() const { return AllocationId{static_cast<std::size_t>(at_)}; }
    Iterator& operator++() {
      at_ = (*tasks_)[static_cast<std::size_t>(at_)].next;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const std::vector<TaskEntry>* tasks_;
    std::int32_t at_;
  };

  JobTasks(const std::vector<TaskEntry>& tasks, std::int32_t first)
      : tasks_(tasks), first_(first) {}
  Iterator begin() const { return {tasks_, first_}; }
  Iterator end() const { return {tasks_, -1}; }

 private:
  const std::vector<TaskEntry>& tasks_;
  std::int32_t first_;
};

}  // namespace headroom::schedule
