// Which domains of the fabric a group of tasks is spread over (the rule is in gang.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/fabric.h"
#include "model/job.h"

namespace headroom::schedule {

// A set of nodes and how many tasks it is to take.
struct Share {
  std::vector<std::uint32_t> nodes;  // indexes
  std::int64_t tasks = 0;
};

// Segments stay in one domain of this level: the preferred one, else the required one.
model::Level segment_level(const model::TopologySpec& topology);

// `capacity`: tasks that fit, by node. Divides n tasks over sets of nodes so that the wish holds,
// or nothing. Without a wish: one set, all nodes. O(nodes).
std::optional<std::vector<Share>> divide(const model::Fabric& fabric,
                                         const std::optional<model::TopologySpec>& topology,
                                         const std::vector<std::int64_t>& capacity, std::int64_t n);

}  // namespace headroom::schedule
