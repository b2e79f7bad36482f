// fgd: fragmentation gradient descent (Weng et al., USENIX ATC 2023), by the published rules.
//
// Assumes  the mix of tasks to come is known: the typical classes of the whole list.
// Rule     score = floor(100 / (1 + exp(-d / 1000))), d the fall of the node's expected fragment F
//          (GPU milli) that the task would cause. A share is tried on every GPU that has room; the
//          best GPU's score is the node's. Whole GPUs are taken by index.
// Ties     are common because of the rounding: first GPU, then first node in order. So nodes are
//          filled one after another, without which the rule loses two points (docs/placement.md).
#pragma once

#include <array>

#include "schedule/fragmentation.h"
#include "schedule/placement.h"

namespace headroom::schedule {

class Fgd final : public Placement {
 public:
  Fgd(const model::Cluster& cluster, const TaskMix& mix);

  void cluster_changed(const model::Cluster& cluster) override;
  Score score(const Candidate& candidate) const override;
  DeviceChoice devices(const Candidate& candidate, base::Rng& rng) const override;

  const Fragmentation& fragmentation() const { return fragmentation_; }

 private:
  struct Best {
    Score score = kNoFit;
    DeviceChoice devices;
  };

  Best best(const Candidate& candidate) const;
  Score rounded(std::int64_t fall) const;

  TaskMix mix_;
  Fragmentation fragmentation_;
  // thresholds_[k - 1]: least fall, times the weight of F, whose rounded score is k (1..99).
  std::array<std::int64_t, 99> thresholds_{};
};

}  // namespace headroom::schedule
