// clustering: tasks of one GPU size side by side.
//
// Rule     b = 25 x (G - free GPU milli) / G rounded down, G the largest node's. A node that runs
//          tasks of this size only: b + 75; among others: b + 50; no GPU tasks: b + 25; only other
//          sizes: b. Sizes: a part of a GPU, or k whole GPUs. A task without GPUs: 0.
// Ties     first node in order; a share goes to the GPU with the least room.
// Source   the baseline "GpuClustering" of Weng et al., USENIX ATC 2023 (docs/placement.md).
#pragma once

#include "schedule/node_totals.h"
#include "schedule/placement.h"

namespace headroom::schedule {

class Clustering final : public Placement {
 public:
  explicit Clustering(const model::Cluster& cluster) : largest_(cluster) {}

  void cluster_changed(const model::Cluster& cluster) override { largest_ = Largest(cluster); }
  Score score(const Candidate& candidate) const override;
  DeviceChoice devices(const Candidate& candidate, base::Rng& rng) const override;

 private:
  Largest largest_;
};

}  // namespace headroom::schedule
