#include "schedule/clustering.h"

namespace headroom::schedule {

Score Clustering::score(const Candidate& candidate) const {
  const Demand& demand = candidate.demand;
  if (demand.kind == Demand::Kind::kNone) return 0;
  const auto base = static_cast<Score>(25 * (largest_.gpu - idle_milli(candidate)) / largest_.gpu);
  const std::uint32_t sizes = candidate.node.sizes;
  const std::uint32_t own = demand.kind == Demand::Kind::kWhole ? 1u << demand.count : 1u;
  if (sizes == own) return base + 75;
  if ((sizes & own) != 0) return base + 50;
  return sizes == 0 ? base + 25 : base;
}

DeviceChoice Clustering::devices(const Candidate& candidate, base::Rng&) const {
  return tightest_devices(candidate.node, candidate.gpus(), candidate.demand, candidate.mig);
}

}  // namespace headroom::schedule
