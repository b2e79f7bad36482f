// BackfillOrder: in which order jobs are tried once a job of the pool is blocked: what starts from
// then on only fills what the blocked job leaves.
//
// Rule     jobs of queues below their fair share before others; then by priority; then by response
//          ratio, (wait + expected run) / expected run, the highest first: short jobs go early, and
//          a long one that waits long enough comes before them (Brinch Hansen, "Short-term
//          scheduling in multiprogramming systems", SOSP 1971). Ties by age, then id.
// Why      and not in the order of the queues throughout: docs/scheduling.md, "Measured".
// Cost     O(jobs log jobs) to begin, O(1) for each.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/state.h"

namespace headroom::schedule {

class BackfillOrder {
 public:
  // `preferred`: by queue, those below their fair share.
  void begin(const State& state, const std::vector<JobSlot>& jobs,
             const std::vector<bool>& preferred);

  JobSlot next();  // none() when every job was given

 private:
  struct Turn {
    bool preferred;
    std::int64_t priority;
    std::int64_t ratio;  // wait / expected run, in 2^-20
    std::int64_t run;    // milliseconds, above 0
    base::Time since;
    JobSlot job;
  };

  std::vector<Turn> turns_;
  std::size_t next_ = 0;
};

}  // namespace headroom::schedule
