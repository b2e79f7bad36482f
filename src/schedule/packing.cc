#include "schedule/packing.h"

#include <bit>

#include "schedule/node_totals.h"

namespace headroom::schedule {

Score Packing::score(const Candidate& candidate) const {
  const Demand& demand = candidate.demand;
  if (demand.kind == Demand::Kind::kNone) return 0;
  const int gpus = candidate.gpus();
  if (candidate.node.idle_gpus == gpus) return std::max(33 - gpus, gpus);
  const DeviceChoice chosen = tightest_devices(candidate.node, gpus, demand, candidate.mig);
  const int slices = candidate.mig != nullptr ? candidate.mig->slices() : 8;
  int idle = 0;
  int free = 0;
  for (unsigned rest = chosen.mask; rest != 0; rest &= rest - 1) {
    const Device gpu = candidate.node.gpus[static_cast<std::size_t>(std::countr_zero(rest))];
    idle += gpu.is_idle() ? 1 : 0;
    free += gpu.free_milli(slices);
  }
  if (idle > 0) return std::max(50 - idle, 33);
  return std::max(100 - free / 10 / 10, 50);
}

DeviceChoice Packing::devices(const Candidate& candidate, base::Rng&) const {
  return tightest_devices(candidate.node, candidate.gpus(), candidate.demand, candidate.mig);
}

}  // namespace headroom::schedule
