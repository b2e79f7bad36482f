#include "schedule/random.h"

namespace headroom::schedule {

DeviceChoice Random::devices(const Candidate& candidate, base::Rng& rng) const {
  const Demand& demand = candidate.demand;
  if (demand.kind == Demand::Kind::kNone || demand.kind == Demand::Kind::kWhole) {
    return tightest_devices(candidate.node, candidate.gpus(), demand, candidate.mig);
  }
  std::vector<int> fitting;
  for (int i = 0; i < candidate.gpus(); ++i) {
    if (device_fits(candidate.node.gpus[static_cast<std::size_t>(i)], demand, candidate.mig)) {
      fitting.push_back(i);
    }
  }
  HEADROOM_ASSERT(!fitting.empty());
  return on_device(candidate.node, fitting[rng.below(fitting.size())], demand, candidate.mig);
}

}  // namespace headroom::schedule
