// slurm: Slurm's multifactor priority and its backfill, to compare with.
//
// Priority  weights x factors, each factor in 0..1 (model/slurm_priority.h; source: Slurm manual,
//           "Multifactor Priority Plugin"):
//             age         time in the queue ÷ PriorityMaxAge, at most 1
//             fair share  fair_tree.h, by queue (account) and user; usage halves every
//                         PriorityDecayHalfLife. Worked out anew every five minutes, Slurm's
//                         PriorityCalcPeriod, and when a user appears
//             job size    part of the pool that the job asks for
//             QOS, partition   of the history; they never change, so they are told as one number
//           A job's own priority goes before all that, as in every policy here: it stands for a QOS
//           that outweighs the rest. Ties by age, then id. With priority/basic only ties are left.
// Usage     is counted in GPUs, for jobs without GPUs in cores at what a core is of the cluster's
//           GPUs. (Slurm counts cores unless TRESBillingWeights says otherwise.) Shares are the
//           weights of the queues; users of an account have equal shares, and exist from their
//           first job on.
// Backfill  The first bf_max_job_test jobs of a pool are looked at; each that cannot start holds a
//           reservation, if it can start within bf_window; where is worked out anew in each
//           cycle, as Slurm does: nothing is kept from the cycle before. There is no preemption
//           (PreemptType's default). Here every event is looked at at once, and times are exact:
//           bf_interval and bf_resolution are not modelled.
// Cost      O(waiting) a cycle, and a plan for each blocked job that is looked at.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "schedule/fair_tree.h"
#include "schedule/policy.h"
#include "schedule/slurm_settings.h"

namespace headroom::schedule {

class SlurmPolicy final : public Policy {
 public:
  explicit SlurmPolicy(SlurmSettings settings) : settings_(std::move(settings)) {}

  void changed(const QueueTree& before, const QueueTree& now) override;
  void begin(const State& state, PoolId pool) override;
  JobSlot next() override;
  void started(JobSlot job, std::int64_t amount) override;
  std::int64_t reservations(const Settings&) const override {
    return settings_.priority.backfill_depth;
  }
  bool keeps_plans() const override { return false; }
  base::Time plans_until(base::Time now) const override {
    return now + settings_.priority.backfill_window;
  }

  // Millionths of a point; of a waiting job, as of the last cycle.
  std::int64_t priority(const State& state, JobSlot slot, const PoolOption& option) const;

 private:
  struct User {
    QueueId queue;
    std::uint32_t number = 0;  // of the user in the state
    std::int64_t held = 0;     // thousandths of a GPU, since the last cycle
    std::int64_t used = 0;     // x milliseconds, decayed
    std::int64_t factor = 0;
  };
  struct Candidate {
    std::int64_t own = 0;
    std::int64_t priority = 0;
    std::size_t place = 0;  // among all that wait
    friend auto operator<=>(const Candidate&, const Candidate&) = default;
  };

  std::size_t user_of(const JobSpec& spec);
  std::int64_t usage_of(const State& state, PoolId pool, std::int64_t amount) const;
  void account(const State& state);
  void rank_users(const State& state);

  SlurmSettings settings_;
  std::vector<User> users_;
  boost::unordered_flat_map<std::uint64_t, std::size_t> user_index_;  // look-ups only
  base::Time accounted_ = kNever;                                     // usage is counted up to here
  base::Time rank_again_;         // when factors are next worked out
  const State* state_ = nullptr;  // during a cycle
  PoolId pool_;
  std::vector<Candidate> heap_;  // not yet given
  std::int64_t given_ = 0;
};

}  // namespace headroom::schedule
