#include "simulate/faults.h"

#include "base/digest.h"

namespace headroom::simulate {

NodeFaults::NodeFaults(const model::Cluster& cluster, const FaultModel& model, std::uint64_t seed)
    : model_(model), down_(cluster.nodes.size(), 0) {
  if (!modelled()) return;
  for (const model::Node& node : cluster.nodes) {
    base::Digest digest;
    digest.add(seed);
    digest.add(node.name);
    rngs_.emplace_back(digest.value());
  }
}

}  // namespace headroom::simulate
