// Sums over the GPUs of a node that several placements use.
#pragma once

#include <algorithm>

#include "schedule/placement.h"
#include "schedule/room.h"

namespace headroom::schedule {

// Milli of all GPUs that no task holds.
inline std::int64_t idle_milli(const Candidate& candidate) {
  return idle_milli(candidate.node, candidate.gpus(), candidate.mig);
}

// The largest node of the cluster, by which the published baselines normalise (128 cores and 8
// GPUs in the openb cluster).
struct Largest {
  std::int64_t cpu = 1;  // milli
  std::int64_t gpu = 1;  // milli

  explicit Largest(const model::Cluster& cluster) {
    for (const model::NodeShape& shape : cluster.shapes) {
      cpu = std::max(cpu, shape.cpu.value());
      gpu = std::max(gpu, std::int64_t{kDeviceMilli} * shape.gpus);
    }
  }
};

}  // namespace headroom::schedule
