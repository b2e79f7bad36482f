// Room: arithmetic on what is free on a node, apart from what really runs: for plans and trials on
// copies of node states.
#pragma once

#include <cstdint>

#include "schedule/demand.h"
#include "schedule/devices.h"
#include "schedule/mig_table.h"
#include "schedule/node_state.h"

namespace headroom::schedule {

// Milli of all GPUs that no task holds.
std::int64_t idle_milli(const NodeState& room, int gpus, const MigTable* mig);

// Takes the demand off the room. What is not there is not taken, and the GPU has nothing free then:
// a plan may count on what is busy now.
void occupy(NodeState& room, const Demand& demand, DeviceChoice devices, const MigTable* mig,
            int gpus);

// Gives back what an allocation holds.
void vacate(NodeState& room, const Demand& demand, DeviceChoice devices, const MigTable* mig,
            int gpus);

// What is free in both.
NodeState common(const NodeState& a, const NodeState& b, int gpus);

// True when the demand fits on these very GPUs.
bool fits_on(const NodeState& room, const Demand& demand, DeviceChoice devices,
             const MigTable* mig);

// How many tasks of this demand fit, at most `most`. Closed form for whole GPUs and for tasks
// without GPUs; by trying for shares and MIG instances.
std::int64_t tasks_that_fit(const NodeState& room, const Demand& demand, const MigTable* mig,
                            int gpus, std::int64_t most);

}  // namespace headroom::schedule
