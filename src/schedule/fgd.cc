#include "schedule/fgd.h"

#include <algorithm>
#include <cmath>

namespace headroom::schedule {

// floor(100 s(x)) >= k for s the logistic function exactly when x >= ln(k / (100 - k)); x is the
// fall in thousands of milli. k = 50 is the fall 0.
Fgd::Fgd(const model::Cluster& cluster, const TaskMix& mix)
    : fragmentation_(cluster, typical_classes(mix)) {
  for (int k = 1; k < 100; ++k) {
    const double fall = 1000.0 * std::log(k / (100.0 - k));
    thresholds_[static_cast<std::size_t>(k - 1)] =
        static_cast<std::int64_t>(std::ceil(fall * static_cast<double>(fragmentation_.weight())));
  }
}

Score Fgd::rounded(std::int64_t fall) const {
  const auto above = std::upper_bound(thresholds_.begin(), thresholds_.end(), fall);
  return static_cast<Score>(above - thresholds_.begin());
}

namespace {

// The node after the task took these GPUs; only what F looks at.
NodeState after(const Candidate& candidate, DeviceChoice devices) {
  NodeState node = candidate.node;
  const Demand& demand = candidate.demand;
  node.cpu -= demand.cpu;
  for (std::size_t i = 0; i < node.gpus.size(); ++i) {
    if ((devices.mask >> i & 1u) == 0) continue;
    Device& gpu = node.gpus[i];
    if (demand.kind == Demand::Kind::kMig) {
      const auto used = static_cast<std::uint8_t>(
          gpu.used_slices() | candidate.mig->covered(demand.profile, devices.mig_start));
      gpu = Device::mig(used, gpu.media_taken() || demand.media);
    } else {
      gpu = Device::shared(gpu.shareable_milli() - demand.milli);
    }
  }
  return node;
}

}  // namespace

Fgd::Best Fgd::best(const Candidate& candidate) const {
  const std::int64_t before = fragmentation_.of(candidate.node, candidate.shape_id);
  const auto score_of = [&](DeviceChoice devices) {
    return rounded(before - fragmentation_.of(after(candidate, devices), candidate.shape_id));
  };
  const Demand& demand = candidate.demand;
  if (demand.kind == Demand::Kind::kNone || demand.kind == Demand::Kind::kWhole) {
    const DeviceChoice devices =
        tightest_devices(candidate.node, candidate.gpus(), demand, candidate.mig);
    return {score_of(devices), devices};
  }
  Best best;
  for (int i = 0; i < candidate.gpus(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto& gpus = candidate.node.gpus;
    if (!device_fits(gpus[at], demand, candidate.mig)) continue;
    // An equal GPU before this one has been tried: the same score, and it wins the tie.
    if (std::find(gpus.begin(), gpus.begin() + i, gpus[at]) != gpus.begin() + i) continue;
    const DeviceChoice devices = on_device(candidate.node, i, demand, candidate.mig);
    const Score score = score_of(devices);
    if (score > best.score) best = {score, devices};
  }
  return best;
}

Score Fgd::score(const Candidate& candidate) const { return best(candidate).score; }

DeviceChoice Fgd::devices(const Candidate& candidate, base::Rng&) const {
  return best(candidate).devices;
}

}  // namespace headroom::schedule
