// NodeState: what is free on one node now. One cache line, no pointers: the states of all nodes are
// one flat array that is cheap to copy.
#pragma once

#include <array>
#include <cstdint>

#include "base/quantity.h"
#include "model/cluster.h"
#include "schedule/device.h"

namespace headroom::schedule {

struct NodeState {
  base::CpuMilli cpu;  // free
  base::Bytes memory;  // free
  std::array<Device, model::kMaxGpusPerNode> gpus;
  std::int32_t first_allocation = -1;  // head of the node's list of allocations
  std::uint32_t sizes = 0;  // GPU sizes of its tasks: bit 0 a part of a GPU, bit k k whole GPUs
  std::uint16_t shape = 0;  // index of its shape; changes only while nothing runs here
  std::uint16_t tasks = 0;
  std::uint16_t largest_share = 0;  // most milli that one shared or idle GPU has free
  std::uint8_t idle_gpus = 0;
  bool exclusive : 1 = false;   // held by one task that wants no other beside it
  bool schedulable : 1 = true;  // takes new tasks

  // Brings the two sums above up to date after a GPU changed. `count`: GPUs of the node.
  void sum_up(int count) {
    largest_share = 0;
    idle_gpus = 0;
    for (int i = 0; i < count; ++i) {
      const Device gpu = gpus[static_cast<std::size_t>(i)];
      const auto share = static_cast<std::uint16_t>(gpu.shareable_milli());
      if (share > largest_share) largest_share = share;
      if (gpu.is_idle()) ++idle_gpus;
    }
  }
};

static_assert(sizeof(NodeState) == 64);

}  // namespace headroom::schedule
