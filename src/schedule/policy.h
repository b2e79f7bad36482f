// Policy: in which order waiting jobs are tried, and how many of those that are blocked hold a
// reservation. One policy a file; all of them use the same cycle (scheduler.h), the same placement
// and the same predictions of run times.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/state.h"

namespace headroom::schedule {

class Policy {
 public:
  virtual ~Policy() = default;

  // Nodes or queues changed; a queue has the same name, but perhaps another id.
  virtual void changed(const QueueTree& /*before*/, const QueueTree& /*now*/) {}

  // A cycle begins to fill a pool.
  virtual void begin(const State& state, PoolId pool) = 0;

  // The next job to try; none() when there is no other. A job is given once in a cycle and pool.
  virtual JobSlot next() = 0;

  // The job just given starts and holds `amount` thousandths of the pool.
  virtual void started(JobSlot /*job*/, std::int64_t /*amount*/) {}

  // How many blocked jobs of a pool hold a reservation. 0: none, whoever fits starts.
  virtual std::int64_t reservations(const Settings& settings) const = 0;

  // A reservation that would begin later than this is not made.
  virtual base::Time plans_until(base::Time /*now*/) const { return kNever; }

  // False: blocked jobs are planned anew in each cycle, wherever they would start first. They are
  // not kept the nodes that the last cycle planned for them.
  virtual bool keeps_plans() const { return true; }

  // False: jobs that were moved back too often keep their turn. Where every blocked job holds a
  // reservation, in order, nobody delays one but those whose turn is before it.
  virtual bool protects() const { return true; }

  // May this blocked job hold one now?
  virtual bool may_reserve(const State& /*state*/, JobSlot /*job*/) const { return true; }

  // True: a blocked job blocks all jobs after it.
  virtual bool strict() const { return false; }

  // Running jobs that the policy stops now so that others may run. Called once a cycle, first.
  virtual std::vector<JobSlot> stops(const State&) { return {}; }

  // When the policy wants another cycle though nothing happened; kNever: no need.
  virtual base::Time wakeup(const State&) const { return kNever; }
};

}  // namespace headroom::schedule
