#include "schedule/spread.h"

#include "schedule/node_totals.h"

namespace headroom::schedule {

Score Spread::score(const Candidate& candidate) const {
  const std::int64_t cpu = (candidate.node.cpu - candidate.demand.cpu).value();
  const std::int64_t all_cpu = std::max<std::int64_t>(candidate.shape.cpu.value(), 1);
  const std::int64_t cpu_part = 5000 * cpu / all_cpu;
  if (candidate.gpus() == 0) return static_cast<Score>(cpu_part);
  const std::int64_t gpu = idle_milli(candidate) - candidate.demand.gpu_milli();
  return static_cast<Score>(cpu_part +
                            5000 * gpu / (std::int64_t{kDeviceMilli} * candidate.gpus()));
}

DeviceChoice Spread::devices(const Candidate& candidate, base::Rng&) const {
  return roomiest_devices(candidate.node, candidate.gpus(), candidate.demand, candidate.mig);
}

}  // namespace headroom::schedule
