// SteadyCluster: a cluster of equal nodes with 8 GPUs (the openb cluster's most frequent node: 96
// cores, 384 GiB) on which the GPU tasks of the openb default list arrive and leave, so that 90 %
// of its GPUs stay allocated. What the placement benchmarks run on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "schedule/cluster_state.h"
#include "schedule/placer.h"
#include "simulate/workload.h"

namespace headroom::bench {

class SteadyCluster {
 public:
  SteadyCluster(std::size_t nodes, const std::string& placement);

  // One decision, then departures of random tasks until at most 90 % is allocated again.
  // Returns false when the task fitted nowhere.
  bool step();
  void arrive();  // draws the next task
  bool place();   // decides and places it
  void depart();  // lets tasks leave

  const schedule::ClusterState& state() const { return *state_; }
  schedule::ClusterState& state() { return *state_; }
  schedule::Placer& placer() { return *placer_; }
  double allocated_percent() const;

 private:
  simulate::Workload workload_;
  std::unique_ptr<schedule::ClusterState> state_;
  std::unique_ptr<schedule::Placer> placer_;
  std::vector<schedule::RequestId> ids_;
  std::vector<schedule::AllocationId> running_;
  base::Rng rng_{1};
  std::int64_t capacity_ = 0;  // GPU milli
  std::int64_t allocated_ = 0;
  std::uint32_t next_ = 0;
  std::int64_t tasks_ = 0;
};

// The GPU tasks of data/openb's default list.
simulate::Workload openb_gpu_tasks();

}  // namespace headroom::bench
