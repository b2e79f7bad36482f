// What the slurm policy is told: weights, and what of a job's priority never changes.
#pragma once

#include <cstdint>
#include <vector>

#include "model/slurm_priority.h"

namespace headroom::schedule {

struct SlurmSettings {
  model::SlurmPriority priority = model::example_slurm_priority();
  // By number of the job: its QOS and partition factors x their weights, in millionths of a point.
  // A job beyond the end has none.
  std::vector<std::int64_t> fixed;
};

}  // namespace headroom::schedule
