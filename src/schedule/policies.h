// The policies by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/policy.h"
#include "schedule/slurm_settings.h"

namespace headroom::schedule {

// What policies are told beside their name; each looks at its own part.
struct PolicySettings {
  // Of those that stop jobs: a job that has run for less is not stopped. As long as a checkpoint
  // and a restart take, so that a stop never costs all that was done since the last one.
  base::Duration least_run{35 * 60'000};
  // las: GPU-seconds after which a job goes to the lower queue.
  std::int64_t las_threshold = 18'000;
  SlurmSettings slurm;
};

const std::vector<std::string>& policy_names();

// nullptr for a name that is not one of them.
std::unique_ptr<Policy> make_policy(std::string_view name, const PolicySettings& settings = {});

}  // namespace headroom::schedule
