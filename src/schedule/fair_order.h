// FairOrder: in which order `headroom` tries the waiting jobs of a pool in one cycle.
//
// Rule     jobs of queues below their fair share before all others; then by priority; then by
//          submission + 8 x expected run time, so that short jobs go early but a long one is
//          overtaken only by jobs that are submitted within 8 times its run time. Ties by id.
//          What a queue holds counts as of the beginning of the cycle.
// Why      and not from queue to queue by saturation, in each by age:
//          docs/decisions/0007-order-of-jobs.md.
// Cost     O(jobs) to begin, O(log jobs) for each.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/state.h"

namespace headroom::schedule {

class FairOrder {
 public:
  // `below`: by queue, is it below its fair share?
  void begin(const State& state, const std::vector<bool>& below);

  JobSlot next();  // none() when every job was given

 private:
  struct Turn {
    bool below;
    std::int64_t priority;
    std::int64_t due;  // milliseconds: submission + 8 x expected run time
    model::JobId id;
    JobSlot job;
  };

  static bool later(const Turn& a, const Turn& b);

  std::vector<Turn> heap_;
};

}  // namespace headroom::schedule
