// FairOrder: in which order `headroom` tries the waiting jobs of a pool in one cycle.
//
// Rule     jobs of queues below their fair share before all others; then by priority; then by
//          submission + 8 x expected run time, so that short jobs go early but a long one is
//          overtaken only by jobs that are submitted within 8 times its run time. Ties by id.
//          What a queue holds counts as of the beginning of the cycle.
// Why      and not from queue to queue by saturation, in each by age:
//          docs/decisions/0007-order-of-jobs.md.
// Cost     O(jobs) to begin, O(1) for each: the sorted list is kept from cycle to cycle, and only
// what
//          is new is sorted in.
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
    std::int64_t priority = 0;
    std::int64_t due = 0;  // milliseconds: submission + 8 x expected run time
    model::JobId id;
    JobSlot job;
    QueueId queue;

    friend bool operator==(const Turn&, const Turn&) = default;
  };

  static bool earlier(const Turn& a, const Turn& b);
  static Turn turn_of(const State& state, JobSlot slot);
  void bring_up_to_date(const State& state);

  std::vector<Turn> turns_;   // of all waiting jobs, sorted
  std::vector<bool> listed_;  // by slot
  std::vector<bool> below_;   // by queue
  std::size_t next_ = 0;      // of turns_, twice: first those below their share, then the others
};

}  // namespace headroom::schedule
