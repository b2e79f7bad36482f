// NodeWorth: what a node's free resources are worth to the tasks that are to be expected.
//
//   worth(node) = sum over GPUs of h(free milli)     what the tasks could still earn on the GPU
//               + whole(model, idle GPUs)            kept for wanted models and k-GPU tasks
//               - 1/5 max(0, R - 1000 c / cpu_kept)  free GPU milli R, too little CPU c beside it
//
// h rises in steps: leaving a rest just at the size of a common task is worth that task, leaving
// a little less is worth the next smaller one. The terms and their constants: docs/placement.md.
//
// Fixed point: whole numbers of 1/256 milli-GPU. Tables are built in double with + - * / only, then
// rounded; a worth is integers only. So scores agree on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/cluster.h"
#include "schedule/demand.h"
#include "schedule/demand_statistics.h"
#include "schedule/mig_table.h"
#include "schedule/node_state.h"

namespace headroom::schedule {

class NodeWorth {
 public:
  // Before anything is known of the tasks: what is free is worth what it is.
  explicit NodeWorth(const model::Cluster& cluster);

  // Builds the tables anew. About 2 ms for 20 sizes, 65 ms for 999. Returns whether they changed.
  bool learn(const DemandStatistics& demand);

  // Sets the CPU to keep for each free GPU from what is free in the whole cluster: the tasks' mean,
  // less when CPU is short. Follows changes above 10 % only. Returns whether it changed.
  bool price_cpu(base::CpuMilli free_cpu, base::GpuMilli free_gpu);

  // What the node is worth now.
  std::int64_t of(const NodeState& node, const model::NodeShape& shape, const MigTable* mig) const;

  // The parts, for trying what a task would change.
  std::int32_t share(int free_milli) const { return h_[static_cast<std::size_t>(free_milli)]; }
  std::int32_t whole(model::GpuModelId gpu, int idle_gpus) const {
    return whole_[gpu.index()][static_cast<std::size_t>(idle_gpus)];
  }
  // A GPU in MIG mode is worth the part of its placements that is still open.
  std::int32_t layout(const MigTable& mig, std::uint8_t used) const {
    return static_cast<std::int32_t>(std::int64_t{h_.back()} * mig.worth(used) / mig.worth(0));
  }
  std::int64_t cpu_lacking(base::CpuMilli cpu, std::int64_t free_milli) const {
    return std::max<std::int64_t>(0, free_milli * per_milli_ - (cpu.value() * per_cpu_ >> 20));
  }

  // Milli of CPU kept for each free GPU; 0: none.
  double cpu_kept() const { return cpu_kept_; }

 private:
  using ByIdleGpus = std::array<std::int32_t, model::kMaxGpusPerNode + 1>;
  ByIdleGpus worth_of_idle(const DemandStatistics& demand, double pressure) const;
  std::vector<double> pressures(const DemandStatistics& demand) const;

  // What the empty cluster has.
  double devices_ = 0;
  std::vector<double> devices_of_model_;
  std::array<double, model::kMaxGpusPerNode + 1> gang_slots_{};  // room for k-GPU tasks

  std::array<std::int32_t, kDeviceMilli + 1> h_{};
  std::vector<ByIdleGpus> whole_;  // by GPU model
  double cpu_per_gpu_ = 0;         // milli, mean over tasks with GPUs
  double cpu_kept_ = -1;
  std::int64_t per_milli_ = 0;
  std::int64_t per_cpu_ = 0;
};

}  // namespace headroom::schedule
