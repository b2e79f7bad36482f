// drf_preempt: drf.h, and jobs of queues above their share are stopped so that others start.
//
// Rule     Jobs in drf's order. One that does not fit stops jobs of other queues, of the queue with
//          the largest dominant share ÷ weight first, the latest started first, as long as that
//          queue keeps at least the share that the one with the new job gets. In a tree the two
//          are compared where their paths part. So every stop brings shares closer together, and
//          nobody is stopped for a job that takes its queue beyond the others.
// Stops    stopping.h. Blocked jobs hold no reservations: a queue below its share takes what it
//          needs, and a reservation would keep idle what was freed for another.
// Cost     drf's, and for each kind of waiting job O(queues), or clearing.h when there is somebody
//          to stop.
#pragma once

#include "schedule/clearing.h"
#include "schedule/drf_policy.h"

namespace headroom::schedule {

class DrfPreemptPolicy final : public DrfPolicy {
 public:
  explicit DrfPreemptPolicy(base::Duration least_run) : least_run_(least_run) {}

  JobSlot next() override { return wave_ ? JobSlot::none() : DrfPolicy::next(); }
  std::int64_t reservations(const Settings&) const override { return 0; }
  std::vector<JobSlot> stops(const State& state) override;
  base::Time wakeup(const State& state) const override;

 private:
  class Wave;

  base::Duration least_run_;
  bool wave_ = false;  // of stops: nothing starts
};

}  // namespace headroom::schedule
