// dot_product: the node whose free resources point least in the direction of the demand.
//
// Rule     score = 100 - 50 (free CPU x CPU asked / C^2 + free GPU x GPU asked / G^2), rounded
//          down; C and G are the largest node's. A share goes to the GPU with the least room.
// Ties     first node in order.
// Source   the baseline "DotProd" of Weng et al., USENIX ATC 2023 (docs/placement.md).
#pragma once

#include "schedule/node_totals.h"
#include "schedule/placement.h"

namespace headroom::schedule {

class DotProduct final : public Placement {
 public:
  explicit DotProduct(const model::Cluster& cluster) : largest_(cluster) {}

  void cluster_changed(const model::Cluster& cluster) override { largest_ = Largest(cluster); }
  Score score(const Candidate& candidate) const override;
  DeviceChoice devices(const Candidate& candidate, base::Rng& rng) const override;

 private:
  Largest largest_;
};

}  // namespace headroom::schedule
