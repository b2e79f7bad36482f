// headroom: jobs of queues below their fair share first, short ones early, and none overtaken for
// long.
//
// Order    fair_order.h.
// Reserve  for a blocked job that has waited as long as it is expected to run, or a day: nodes that
//          are kept empty for it cost the others time, and it must have lost as much.
// Shares   are worked out anew every epoch, and when a queue begins or ceases to want something: a
//          queue that wakes must not wait for the next epoch.
// Past     use counts as fair_share.h says. Running jobs are charged for the time that they are
//          expected to run still, so that a burst of starts cannot outrun the accounts.
#pragma once

#include "schedule/fair_order.h"
#include "schedule/policy.h"

namespace headroom::schedule {

class FairPolicy final : public Policy {
 public:
  void changed(const QueueTree&, const QueueTree&) override { shares_.clear(); }
  void begin(const State& state, PoolId pool) override;
  JobSlot next() override;
  bool may_reserve(const State& state, JobSlot job) const override;
  std::int64_t reservations(const Settings& settings) const override {
    return settings.reservations;
  }

 private:
  struct Shares {
    std::vector<std::int64_t> amount;  // by queue
    std::vector<bool> wanting;         // by queue: had demand when they were worked out
    base::Time until;                  // end of the epoch
  };

  void refresh(const State& state, PoolId pool);

  std::vector<Shares> shares_;  // by pool
  FairOrder order_;
};

}  // namespace headroom::schedule
