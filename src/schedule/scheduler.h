// Scheduler: one scheduling cycle. It decides and leaves the state as it was; what it decides is
// applied as records.
//
// A cycle, in this order:
//   1. jobs that no state of the cluster could run are rejected: new ones, and all of them when
//   nodes
//      or queues have changed; those above their time limit, and
//      those that the policy stops, are stopped
//   2. gangs that lost members get them back, or are stopped after a grace
//   3. for each pool: jobs in the policy's order; a job starts if its queues and its user may, if
//      it fits, and if it delays no reservation (it ends before, or what it takes is not needed
//      then). The first blocked jobs hold reservations (planner.h): concrete nodes and GPUs at the
//      time at which they are expected to be free. What is left goes to gangs that run with fewer
//      tasks than they asked for.
//
// Reservations are worked out only when a job behind them could start, because only then do they
// matter; they are made anew in every cycle. A job that was moved back `max_slips` times is planned
// first from then on, so that nothing delays it again.
//
//   decide   O(waiting jobs) + O(nodes) for each job that starts or is reserved for
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/decision.h"
#include "schedule/never.h"
#include "schedule/placer.h"
#include "schedule/planner.h"
#include "schedule/policy.h"
#include "schedule/quota.h"
#include "schedule/reason.h"
#include "schedule/state.h"

namespace headroom::schedule {

struct Decisions {
  std::vector<model::Decision> decisions;
  base::Time next_wakeup = kNever;  // when time alone may change something; now: at once
};

class Scheduler {
 public:
  // The state must outlive the scheduler; the placement is made for its cluster as it is now.
  Scheduler(State& state, std::unique_ptr<Policy> policy, std::unique_ptr<Placement> placement);

  Decisions decide();

  // To be called for each job (or array) that is submitted or changed: the placement learns of it,
  // and the next cycle rejects it if it can never run.
  void arrived(std::int64_t number);

  // Why a waiting job did not start in the last cycle.
  Reason reason(JobSlot job) const;

  // The same of the first job in order that did not; kNone when every job started.
  Reason head_reason() const { return head_reason_; }

 private:
  class Cycle;

  void protect(JobSlot slot);
  void protect_again();
  void notice_changes();  // of the cluster and the queues
  void look_at_all();

  State& state_;
  std::shared_ptr<const model::Cluster> cluster_;  // for which all below was worked out
  std::shared_ptr<const QueueTree> queues_;
  std::unique_ptr<Policy> policy_;
  Placer placer_;
  std::vector<Reason> reasons_;  // by job slot
  Reason head_reason_;
  std::vector<JobSlot> protected_;  // moved back too often
  Promises promises_;
  Never never_;
  std::vector<JobSlot> fresh_;  // to be looked at whether they can ever run
};

}  // namespace headroom::schedule
