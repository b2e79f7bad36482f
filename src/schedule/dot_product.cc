#include "schedule/dot_product.h"

namespace headroom::schedule {

namespace {

double part(std::int64_t value, std::int64_t of) {
  return static_cast<double>(value) / static_cast<double>(of);
}

}  // namespace

Score DotProduct::score(const Candidate& candidate) const {
  const double cpu = part(candidate.node.cpu.value(), largest_.cpu) *
                     part(candidate.demand.cpu.value(), largest_.cpu);
  const double gpu =
      part(idle_milli(candidate), largest_.gpu) * part(candidate.demand.gpu_milli(), largest_.gpu);
  return static_cast<Score>(100.0 * (1.0 - 0.5 * (cpu + gpu)));
}

DeviceChoice DotProduct::devices(const Candidate& candidate, base::Rng&) const {
  return tightest_devices(candidate.node, candidate.gpus(), candidate.demand, candidate.mig);
}

}  // namespace headroom::schedule
