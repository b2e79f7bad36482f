// best_fit: the node that would be left with the least.
//
// Rule     score = 100 - 50 (free CPU after / largest node's CPU + free GPU after / largest node's
//          GPU), rounded down; a share goes to the GPU with the least room that suffices.
// Ties     first node in order.
// Source   the baseline "BestFit" of Weng et al., USENIX ATC 2023 (docs/placement.md). Its min-max
//          normalisation over the feasible nodes is left out: it never changes which node is best.
#pragma once

#include "schedule/node_totals.h"
#include "schedule/placement.h"

namespace headroom::schedule {

class BestFit final : public Placement {
 public:
  explicit BestFit(const model::Cluster& cluster) : largest_(cluster) {}

  void cluster_changed(const model::Cluster& cluster) override { largest_ = Largest(cluster); }
  Score score(const Candidate& candidate) const override;
  DeviceChoice devices(const Candidate& candidate, base::Rng& rng) const override;

 private:
  Largest largest_;
};

}  // namespace headroom::schedule
