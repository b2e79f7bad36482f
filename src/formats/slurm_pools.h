// Pools of equal nodes, and their place in the topology, out of what Slurm tells.
#pragma once

#include "base/result.h"
#include "formats/slurm_facts.h"
#include "model/site.h"

namespace headroom::formats {

// Nodes of equal hardware become a pool, in the order of the switches. What had to be guessed is
// noted. Error: there are no nodes.
base::Result<void> make_pools(SlurmFacts& facts, model::Site& site);

}  // namespace headroom::formats
