// Work: how far each job of a replay has come. A job runs in stretches; what of a stretch counts is
// whole checkpoint intervals, or all of it when the job reached its end.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "model/history.h"
#include "simulate/replay.h"

namespace headroom::simulate {

class Work {
 public:
  Work(const ReplayInput& input, ReplayResult& result);

  bool running(std::uint32_t job) const { return of_[job].running; }
  // Of the stretch that runs, or ran last: the end of an older one is void.
  std::uint32_t version(std::uint32_t job) const { return of_[job].version; }

  // All that it needs runs from now on; a job that ran before pays its restart cost first. Returns
  // the time at which it will have finished.
  base::Time begin(std::uint32_t job, base::Time now, std::int64_t gpu_milli, std::int32_t nodes);

  // Members join while it runs: it goes on at once, and what it has done is safe.
  base::Time join(std::uint32_t job, base::Time now, std::int64_t gpu_milli, std::int32_t nodes);

  // The stretch ends now: with the job's work done, or without warning.
  void finish(std::uint32_t job, base::Time now) {
    leave(job, now, of_[job].left, StretchEnd::kDone);
  }
  void interrupt(std::uint32_t job, base::Time now, StretchEnd how) {
    leave(job, now, safe(job, now), how);
  }

 private:
  struct Progress {
    base::Duration left;      // of its run time
    base::Duration overhead;  // restart cost of this stretch, paid first
    base::Time since;         // this stretch began
    std::int64_t gpu_milli = 0;
    std::int32_t nodes = 0;
    bool running = false;
    std::uint32_t version = 0;
  };

  base::Time start(std::uint32_t job, base::Time now, base::Duration overhead,
                   std::int64_t gpu_milli, std::int32_t nodes);
  base::Duration safe(std::uint32_t job, base::Time now) const;
  void leave(std::uint32_t job, base::Time now, base::Duration kept, StretchEnd how);

  const ReplayInput& input_;
  ReplayResult& result_;
  std::vector<Progress> of_;  // by job
};

}  // namespace headroom::simulate
