// Which GPUs of a node a task gets: the choice, and the common ways to make it.
#pragma once

#include <cstdint>

#include "schedule/demand.h"
#include "schedule/mig_table.h"
#include "schedule/node_state.h"

namespace headroom::schedule {

struct DeviceChoice {
  std::uint16_t mask = 0;      // bit i: GPU i of the node
  std::uint8_t mig_start = 0;  // kMig: first memory slice

  friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

// GPU number `gpu` alone; for a MIG demand, at the slot that MigTable prefers.
DeviceChoice on_device(const NodeState& node, int gpu, const Demand& demand, const MigTable* mig);

// Whole GPUs by index. A share goes to the GPU with the least room that suffices, a MIG instance to
// the layout with the least worth (so a GPU in MIG mode before an idle one). Tie: lowest index.
// The node must fit the demand.
DeviceChoice tightest_devices(const NodeState& node, int gpus, const Demand& demand,
                              const MigTable* mig);

// As above, but a share or instance goes to the GPU with the most room.
DeviceChoice roomiest_devices(const NodeState& node, int gpus, const Demand& demand,
                              const MigTable* mig);

}  // namespace headroom::schedule
