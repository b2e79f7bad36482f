// headroom: queues by what they have of their fair share, jobs inside a queue by priority and age.
//
// Rule     From the top of the tree down, the child with the least saturation (held / fair
//          share) that still has jobs to try; in a leaf, its jobs in order. A start raises the
//          saturation of its queues, so the next job may come from another.
// Backfill once a job of the pool is blocked the others come in the order of backfill_order.h.
// Reserve  for a job that has waited as long as it is expected to run, or a day: nodes that are
// kept
//          empty for a job cost the others time, and it must have lost as much.
// Shares   are worked out anew every epoch, and when a queue begins or ceases to want something: a
//          queue that wakes must not wait for the next epoch.
// Past     use counts as fair_share.h says. Running jobs are charged for the time that they are
//          expected to run still, so that a burst of starts cannot outrun the accounts.
// Ties     the queue that comes first by name.
#pragma once

#include "schedule/backfill_order.h"
#include "schedule/policy.h"
#include "schedule/queue_walk.h"

namespace headroom::schedule {

class FairPolicy final : public Policy {
 public:
  void begin(const State& state, PoolId pool) override;
  JobSlot next() override;
  void started(JobSlot job, std::int64_t amount) override;
  void blocked(JobSlot job) override;
  bool may_reserve(const State& state, JobSlot job) const override;
  std::int64_t reservations(const Settings& settings) const override {
    return settings.reservations;
  }

  // Thousandths; of the epoch at hand.
  std::int64_t share(QueueId queue, PoolId pool) const {
    return shares_[pool.index()].amount[queue.index()];
  }

 private:
  struct Shares {
    std::vector<std::int64_t> amount;  // by queue
    std::vector<bool> wanting;         // by queue: had demand when they were worked out
    base::Time until;                  // end of the epoch
  };

  void refresh(const State& state, PoolId pool);
  bool less_saturated(QueueId a, QueueId b) const;

  const State* state_ = nullptr;  // during a cycle
  PoolId pool_;
  std::vector<Shares> shares_;      // by pool
  std::vector<std::int64_t> held_;  // by queue, with this cycle's starts
  QueueWalk walk_;
  BackfillOrder backfill_;
  bool backfills_ = false;  // a job of the pool is blocked
};

}  // namespace headroom::schedule
