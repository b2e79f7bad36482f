// Quota: what queues and users may still take in one cycle, with what the cycle has started so far.
#pragma once

#include <optional>
#include <vector>

#include "schedule/reason.h"
#include "schedule/state.h"

namespace headroom::schedule {

class Quota {
 public:
  explicit Quota(const State& state);

  // Why the job may not take `amount` thousandths of the pool now, or nothing. O(depth).
  // `starts`: the job does not run yet (else it takes more for members that it lost).
  std::optional<Reason> refuses(const JobSpec& spec, PoolId pool, std::int64_t amount,
                                bool starts = true) const;

  void take(const JobSpec& spec, PoolId pool, std::int64_t amount, bool starts = true);

  std::int64_t held(QueueId queue, PoolId pool) const {
    return state_.held(queue, pool) + held_[at(queue, pool)];
  }

 private:
  std::size_t at(QueueId queue, PoolId pool) const { return queue.index() * pools_ + pool.index(); }
  const State::UserTotals* taken_by(const JobSpec& spec) const;

  struct Taken {
    QueueId queue;
    std::uint32_t user;
    State::UserTotals totals;
  };

  const State& state_;
  std::size_t pools_;
  std::vector<std::int64_t> held_, firm_;            // taken in this cycle, by queue and pool
  std::vector<std::vector<std::int64_t>> promises_;  // by pool, then queue
  std::vector<std::int64_t> elements_;  // with a limit: their elements started in this cycle
  std::vector<Taken> taken_;            // users with limits only
};

}  // namespace headroom::schedule
