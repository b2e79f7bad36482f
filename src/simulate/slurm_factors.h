// What a history tells of the priority that Slurm gave its jobs, and that does not change while
// they wait: their QOS and their partition.
#pragma once

#include <cstdint>
#include <vector>

#include "model/history.h"
#include "model/slurm_priority.h"

namespace headroom::simulate {

// QOS and partition factors x weights, in millionths of a point, by number of the job in a replay:
// the first job of the history is number 1. A factor is the priority of the job's QOS (partition) ÷
// the largest there is; 0 for one that the configuration does not name.
std::vector<std::int64_t> slurm_fixed_part(const model::SlurmPriority& priority,
                                           const model::History& history);

}  // namespace headroom::simulate
