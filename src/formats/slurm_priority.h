// The policy of a Slurm: slurm.conf or `scontrol show config` for the weights, `scontrol show
// partition` and `sacctmgr -P show qos` for the factors, in any number of files. What other texts
// of slurm_facts.h tell is read and not used.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/slurm_cluster.h"
#include "formats/slurm_facts.h"
#include "model/slurm_priority.h"

namespace headroom::formats {

// Errors name file, line and value.
base::Result<model::SlurmPriority> read_slurm_priority(const std::vector<NamedText>& texts);

}  // namespace headroom::formats
