// las: least attained service first, in two queues (Gu et al., "Tiresias: A GPU Cluster Manager for
// Distributed Deep Learning", NSDI 2019: discretised 2D-LAS). Run times are not looked at.
//
// Rule     A job is in the upper queue until it has held `threshold` GPU-seconds in all its
//          attempts (core-seconds without GPUs), then in the lower one. Jobs of the upper queue
//          come first; in a queue by priority, then age.
//          Who should run: jobs that run and those that wait, in this order, as long as the pool
//          has GPUs for them by count. A job that should run and does not fit stops jobs that
//          should not, the last in order first. Whoever else fits starts as well.
// Numbers  18,000 GPU-seconds: the uppermost bound in the authors' simulator, and the one at which
//          later studies run it with two queues. A job never goes back to the upper queue: the
//          paper leaves that off by default.
// Stops    stopping.h.
// Cost     O(waiting) a cycle, and clearing.h for each job that others are stopped for.
#pragma once

#include "schedule/clearing.h"
#include "schedule/policy.h"

namespace headroom::schedule {

class LasPolicy final : public Policy {
 public:
  LasPolicy(std::int64_t threshold_gpu_seconds, base::Duration least_run)
      : threshold_(threshold_gpu_seconds * 1000 * 1000), least_run_(least_run) {}

  void begin(const State& state, PoolId pool) override;
  JobSlot next() override;
  std::int64_t reservations(const Settings&) const override { return 0; }
  std::vector<JobSlot> stops(const State& state) override;
  base::Time wakeup(const State& state) const override;

 private:
  struct Wishes {
    std::vector<std::pair<JobSlot, PoolOption>> starts;  // should run and waits, in order
    std::vector<JobSlot> stops;                          // runs and should not, last in order first
  };

  bool lower(const State& state, JobSlot slot) const;
  bool before(const State& state, JobSlot a, JobSlot b) const;
  Wishes wishes(const State& state, PoolId pool) const;

  std::int64_t threshold_;  // thousandths x milliseconds
  base::Duration least_run_;
  bool wave_ = false;             // of stops: nothing starts
  const State* state_ = nullptr;  // during a cycle
  bool second_ = false;           // in the lower queue
  std::size_t next_ = 0;          // of all that wait
};

}  // namespace headroom::schedule
