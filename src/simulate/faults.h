// Faults: when nodes fail and come back in a replay: told outage by outage, or drawn from a model.
//
// Model    each node by itself: the time until it fails (from the start, or from its last repair)
//          and the time of its repair are exponential. A node's draws depend on the seed and its
//          name alone, so that every policy, and a cluster with more nodes, sees the same failures.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "base/rng.h"
#include "model/cluster.h"
#include "simulate/draws.h"

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

class NodeFaults {
 public:
  NodeFaults(const model::Cluster& cluster, const FaultModel& model, std::uint64_t seed);

  bool modelled() const { return model_.mtbf > base::Duration{0}; }
  // The next draw of the node; only where failures are modelled.
  base::Duration until_failure(std::uint32_t node) { return exponential(rngs_[node], model_.mtbf); }
  base::Duration until_repaired(std::uint32_t node) {
    return exponential(rngs_[node], model_.repair);
  }

  // An outage begins, or ends: true when the node was up until then, or is up again.
  bool begins(std::uint32_t node) { return down_[node]++ == 0; }
  bool ends(std::uint32_t node) { return --down_[node] == 0; }

 private:
  FaultModel model_;
  std::vector<base::Rng> rngs_;     // by node; empty: not modelled
  std::vector<std::int32_t> down_;  // by node: outages that last
};

}  // namespace headroom::simulate
