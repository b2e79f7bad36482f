// Random clusters and requests for property tests: a few nodes of mixed models (two with MIG), all
// ways to ask for a GPU, labels, models, exclusive nodes, CPU-only tasks.
#pragma once

#include <memory>
#include <vector>

#include "base/rng.h"
#include "model/cluster.h"
#include "model/request.h"
#include "schedule/task_mix.h"

namespace headroom::tests {

struct RandomCase {
  std::shared_ptr<const model::Cluster> cluster;
  std::vector<model::NodeId> order;      // a random tie order
  std::vector<model::Request> requests;  // distinct
  schedule::TaskMix mix;                 // random counts of them
};

RandomCase random_case(base::Rng& rng);

// An A100 with 80 GB and an A30, with their real placement tables (data/catalogue).
model::GpuModel a100();
model::GpuModel a30();

}  // namespace headroom::tests
