#include "schedule/fgd.h"

#include <algorithm>
#include <cmath>

#include "schedule/room.h"

namespace headroom::schedule {

// floor(100 s(x)) >= k for s the logistic function exactly when x >= ln(k / (100 - k)); x is the
// fall in thousands of milli. k = 50 is the fall 0.
Fgd::Fgd(const model::Cluster& cluster, const TaskMix& mix)
    : mix_(typical_classes(mix)), fragmentation_(cluster, mix_) {
  for (int k = 1; k < 100; ++k) {
    const double fall = 1000.0 * std::log(k / (100.0 - k));
    thresholds_[static_cast<std::size_t>(k - 1)] =
        static_cast<std::int64_t>(std::ceil(fall * static_cast<double>(fragmentation_.weight())));
  }
}

// The weight of F is that of the mix, so the thresholds stay.
void Fgd::cluster_changed(const model::Cluster& cluster) {
  fragmentation_ = Fragmentation(cluster, mix_);
}

Score Fgd::rounded(std::int64_t fall) const {
  const auto above = std::upper_bound(thresholds_.begin(), thresholds_.end(), fall);
  return static_cast<Score>(above - thresholds_.begin());
}

namespace {

// The node after the task took these GPUs.
NodeState after(const Candidate& candidate, DeviceChoice devices) {
  NodeState node = candidate.node;
  occupy(node, candidate.demand, devices, candidate.mig, candidate.gpus());
  return node;
}

}  // namespace

Fgd::Best Fgd::best(const Candidate& candidate) const {
  const std::int64_t before = fragmentation_.of(candidate.node, candidate.shape_id);
  const Demand& demand = candidate.demand;
  // Without MIG the sums of the node tell F after; with it the node after is looked at anew.
  const bool plain =
      demand.kind != Demand::Kind::kMig && fragmentation_.exact_for(candidate.shape_id);
  const Fragmentation::Sums sums =
      fragmentation_.sums(candidate.node, candidate.shape_id, candidate.node.cpu - demand.cpu);
  const auto score_of = [&](DeviceChoice devices, int free) {
    if (!plain) {
      return rounded(before - fragmentation_.of(after(candidate, devices), candidate.shape_id));
    }
    Fragmentation::Sums then = sums;
    if (demand.kind == Demand::Kind::kShare) then.take_share(free, demand.milli);
    if (demand.kind == Demand::Kind::kWhole) then.take_whole(demand.count);
    return rounded(before - fragmentation_.of(then));
  };
  if (demand.kind == Demand::Kind::kNone || demand.kind == Demand::Kind::kWhole) {
    const DeviceChoice devices =
        tightest_devices(candidate.node, candidate.gpus(), demand, candidate.mig);
    return {score_of(devices, kDeviceMilli), devices};
  }
  Best best;
  const auto& gpus = candidate.node.gpus;
  for (int i = 0; i < candidate.gpus(); ++i) {
    const Device gpu = gpus[static_cast<std::size_t>(i)];
    if (!device_fits(gpu, demand, candidate.mig)) continue;
    // An equal GPU before this one has been tried: the same score, and it wins the tie.
    if (std::find(gpus.begin(), gpus.begin() + i, gpu) != gpus.begin() + i) continue;
    const DeviceChoice devices = on_device(candidate.node, i, demand, candidate.mig);
    const Score score = score_of(devices, gpu.shareable_milli());
    if (score > best.score) best = {score, devices};
  }
  return best;
}

Score Fgd::score(const Candidate& candidate) const { return best(candidate).score; }

DeviceChoice Fgd::devices(const Candidate& candidate, base::Rng&) const {
  return best(candidate).devices;
}

}  // namespace headroom::schedule
