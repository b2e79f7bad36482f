// SlurmPriority: the weights and factors of Slurm's multifactor priority, as its configuration
// tells them, for a replay under the policy that was in force. Source of the terms: Slurm's
// "Multifactor Priority Plugin"; the defaults are those of slurm.conf.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/quantity.h"

namespace headroom::model {

struct SlurmPriority {
  bool multifactor = true;  // false: priority/basic, first come first served
  std::int64_t age = 0;     // weights
  std::int64_t fair_share = 0;
  std::int64_t job_size = 0;
  std::int64_t partition = 0;
  std::int64_t qos = 0;
  base::Duration max_age{7 * 86'400'000LL};          // an older job's age factor is 1
  base::Duration decay_half_life{7 * 86'400'000LL};  // of past use; 0: no decay
  bool favor_small = false;                          // smaller jobs get the larger size factor
  base::Duration backfill_interval{30'000};
  base::Duration backfill_window{86'400'000};
  std::int64_t backfill_depth = 500;                     // bf_max_job_test
  std::map<std::string, std::int64_t> qos_priority;      // by QOS; their factor is over the largest
  std::map<std::string, std::int64_t> partition_factor;  // PriorityJobFactor; likewise

  friend bool operator==(const SlurmPriority&, const SlurmPriority&) = default;
};

// For a replay of which no configuration is known: the weights and times of the sample in Slurm's
// "Multifactor Priority Plugin" (slurm.conf's own default is that all weights are 0), and a
// bf_max_job_test as sites with long queues set it: with the default of 500 no job further behind
// is ever looked at.
inline SlurmPriority example_slurm_priority() {
  return {.age = 1000,
          .fair_share = 10'000,
          .job_size = 1000,
          .partition = 1000,
          .qos = 0,
          .max_age = base::Duration{14 * 86'400'000LL},
          .decay_half_life = base::Duration{14 * 86'400'000LL},
          .backfill_depth = 10'000};
}

}  // namespace headroom::model
