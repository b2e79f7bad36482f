// drf: dominant resource fairness (Ghodsi et al., "Dominant Resource Fairness", NSDI 2011).
//
// Rule     a queue's dominant share is the largest part that it holds of any resource of the
//          cluster: CPU, memory or GPUs. The next job comes from the queue with the least dominant
//          share ÷ weight; in it, jobs by priority, then age. With a tree of queues this holds at
//          each level, from the top down.
// Blocked  jobs hold reservations as under `headroom`, so that large jobs are not starved.
// Ties     the queue that comes first by name.
#pragma once

#include "schedule/dominant_shares.h"
#include "schedule/policy.h"
#include "schedule/queue_walk.h"

namespace headroom::schedule {

class DrfPolicy : public Policy {
 public:
  void changed(const QueueTree&, const QueueTree&) override { shares_ = {}; }
  void begin(const State& state, PoolId pool) override;
  JobSlot next() override;
  void started(JobSlot job, std::int64_t amount) override;
  std::int64_t reservations(const Settings& settings) const override {
    return settings.reservations;
  }

 private:
  bool less(QueueId a, QueueId b) const;  // dominant share / weight

  const State* state_ = nullptr;  // during a cycle
  PoolId pool_;
  DominantShares shares_;  // with this cycle's starts
  QueueWalk walk_;
};

}  // namespace headroom::schedule
