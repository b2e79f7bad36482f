// DominantShares: of CPU, memory and GPUs, the largest part of the cluster that each queue holds.
//
// Unit     millionths of a millionth, so that one core of a large cluster counts.
// Amounts  what jobs ask for over all their tasks; GPUs of every model are one resource, and a job
//          that lacks members holds what they held. The cluster is all its nodes, healthy or not:
//          shares are compared with each other only.
// Cost     reset O(running jobs); take O(depth).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schedule/state.h"

namespace headroom::schedule {

class DominantShares {
 public:
  // What runs now.
  void reset(const State& state);

  // The queues above a job hold so much more: what the job asks, its GPUs in thousandths.
  void take(const JobSpec& spec, std::int64_t gpu_milli, std::int64_t sign = 1);

  std::int64_t of(QueueId queue) const { return dominant_[queue.index()]; }
  // If the job was taken; its GPUs in thousandths, negative with sign -1.
  std::int64_t with(QueueId queue, const JobSpec& spec, std::int64_t gpu_milli,
                    std::int64_t sign = 1) const;

 private:
  enum Resource : std::size_t { kCpu, kMemory, kGpu, kResources };
  using Amounts = std::array<std::int64_t, kResources>;

  static Amounts amounts_of(const JobSpec& spec, std::int64_t gpu_milli);
  std::int64_t dominant(const Amounts& held) const;

  const QueueTree* tree_ = nullptr;
  Amounts all_{};                       // of the cluster
  std::vector<Amounts> held_;           // by queue, its subtree
  std::vector<std::int64_t> dominant_;  // the same of that
};

}  // namespace headroom::schedule
