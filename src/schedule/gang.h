// place_gang: where all tasks of a job go at once, or nothing.
//
// Rule     Groups with the largest GPU demand first. For one group of n tasks, each node says how
//          many fit. With a required level, the tightest domain that holds them all; with a
//          preferred level, the lowest level from there up of which one domain holds them, spread
//          evenly over as few preferred domains as can hold them (so that a domain with a few
//          unhealthy nodes does not leave a remainder elsewhere). Segments stay in one domain of
//          the preferred (else the required) level. Among the nodes allowed: those that hold most
//          first; the last ones are the tightest that suffice. Equal nodes by the placement's
//          score, then by id.
//          A required domain is one for all groups that the wish concerns: those with GPUs; all,
//          when the job has none. Members that join a running gang go to the domains it is in.
// Nodes    of unknown domain are in no domain.
// Cost     O(nodes log nodes) for one group, whatever its size; with a required level and several
//          groups, that for each domain until one suffices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/placement.h"
#include "schedule/placement.h"
#include "schedule/state.h"

namespace headroom::schedule {

// A task that is to be placed.
struct TaskName {
  std::int64_t group = 0;
  std::int64_t index = 0;
};

struct GangWish {
  const JobSpec* spec = nullptr;
  PoolId pool;                  // of the groups with GPUs
  std::vector<TaskName> tasks;  // sorted by group; all of them, or none
  std::int64_t amount = 0;      // thousandths of the pool that they take
  bool with_topology = true;    // false: as if the job had no such wish
  JobSlot joins = {};           // the job runs already; these are more members
};

// What is free on each node for this job; nodes it may not use have nothing.
using RoomOf = std::function<NodeState(model::NodeId)>;

std::optional<model::Placement> place_gang(const State& state, const Placement& placement,
                                           const GangWish& wish, const RoomOf& room);

// Would place_gang find a place? Cheaper: for a job of one group nothing is scored. O(nodes).
bool gang_fits(const State& state, const Placement& placement, const GangWish& wish,
               const RoomOf& room);

// The first n tasks of a job, group by group.
std::vector<TaskName> first_tasks(const JobSpec& spec, std::int64_t n);

// One task on these GPUs of a node, and back.
model::TaskPlacement task_placement(const State& state, const TaskName& task, RequestId request,
                                    model::NodeId node, DeviceChoice devices);
DeviceChoice devices_of(const model::TaskPlacement& placement);

// Thousandths of the pool that these tasks hold.
std::int64_t amount_of(const State& state, const JobSpec& spec, PoolId pool,
                       const model::Placement& placed);

// The pool that they are charged to.
PoolId pool_of(const State& state, const model::Placement& placed);

// The tasks that a running job should have and lacks: not finished, and they hold nothing now.
std::vector<TaskName> missing_tasks(const State& state, JobSlot slot);

}  // namespace headroom::schedule
