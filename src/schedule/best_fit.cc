#include "schedule/best_fit.h"

namespace headroom::schedule {

Score BestFit::score(const Candidate& candidate) const {
  const std::int64_t cpu = (candidate.node.cpu - candidate.demand.cpu).value();
  const std::int64_t gpu = idle_milli(candidate) - candidate.demand.gpu_milli();
  // 100 - 50 (cpu / C + gpu / G), over the common denominator C G.
  const std::int64_t whole = largest_.cpu * largest_.gpu;
  return static_cast<Score>((100 * whole - 50 * (cpu * largest_.gpu + gpu * largest_.cpu)) / whole);
}

DeviceChoice BestFit::devices(const Candidate& candidate, base::Rng&) const {
  return tightest_devices(candidate.node, candidate.gpus(), candidate.demand, candidate.mig);
}

}  // namespace headroom::schedule
