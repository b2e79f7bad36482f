// Faults: when nodes fail and come back in a replay: told outage by outage, or drawn from a model.
//
// Model    each node by itself: the time until it fails (from the start, or from its last repair)
//          and the time of its repair are exponential. A node's draws depend on the seed and its
//          name alone, so that every policy, and a cluster with more nodes, sees the same failures.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/quantity.h"
#include "base/rng.h"
#include "model/cluster.h"

namespace headroom::simulate {

// A node is out of service from `from` to `to`. Outages of a node may overlap.
struct Outage {
  model::NodeId node;
  base::Time from;
  base::Time to;
  friend bool operator==(const Outage&, const Outage&) = default;
};

// Means; mtbf 0: nodes do not fail by themselves.
struct FaultModel {
  base::Duration mtbf;
  base::Duration repair;
  friend bool operator==(const FaultModel&, const FaultModel&) = default;
};

// The draws of one node.
base::Rng fault_rng(std::uint64_t seed, std::string_view node_name);

}  // namespace headroom::simulate
