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
  std::uint16_t tasks = 0;
  bool exclusive = false;   // held by one task that wants no other beside it
  bool schedulable = true;  // takes new tasks

  // Equal for placement: the same room, whoever holds the rest.
  bool same_room(const NodeState& other) const {
    return cpu == other.cpu && memory == other.memory && gpus == other.gpus &&
           sizes == other.sizes && (tasks == 0) == (other.tasks == 0) &&
           exclusive == other.exclusive && schedulable == other.schedulable;
  }
};

static_assert(sizeof(NodeState) == 64);

}  // namespace headroom::schedule
