#include "schedule/headroom_placement.h"

#include <algorithm>
#include <limits>

#include "schedule/cluster_state.h"
#include "schedule/node_totals.h"

namespace headroom::schedule {

namespace {

constexpr std::int64_t kFirstBuild = 16;  // arrivals before the first tables of the learned variant

}  // namespace

HeadroomPlacement::HeadroomPlacement(const model::Cluster& cluster, const TaskMix& mix, Knows knows)
    : knows_(knows), worth_(cluster), next_build_(kFirstBuild) {
  if (knows == Knows::kWholeMix) mix_ = mix;
  cluster_changed(cluster);
}

void HeadroomPlacement::cluster_changed(const model::Cluster& cluster) {
  worth_ = NodeWorth(cluster);
  window_ = 2 * cluster.gpu_capacity().value() / kDeviceMilli;
  DemandStatistics demand;
  for (const TaskClass& one : mix_) {
    demand.add(one.request, cluster, static_cast<double>(one.count));
  }
  for (const auto& [one, count] : counts_) demand.add(one, cluster, count);
  worth_.learn(demand);
  ++epoch_;
}

void HeadroomPlacement::arrived(const ClusterState& state, RequestId request) {
  if (knows_ == Knows::kArrivals) learn(state, request);
  if (worth_.price_cpu(state.free_cpu(), state.free_gpu())) ++epoch_;
}

void HeadroomPlacement::learn(const ClusterState& state, RequestId request) {
  counts_[state.requests().request(request)] += 1.0;
  if (++seen_ < next_build_) return;
  DemandStatistics demand;
  for (const auto& [one, count] : counts_) demand.add(one, state.cluster(), count);
  if (worth_.learn(demand)) ++epoch_;
  if (seen_ > window_) {
    for (auto& [one, count] : counts_) count /= 2;
  }
  next_build_ = seen_ + std::max(kFirstBuild, std::min(seen_, window_));
}

// What one GPU loses by the demand, the bonus for idle GPUs included.
std::int64_t HeadroomPlacement::on_gpu(const Candidate& candidate, Device gpu) const {
  const Demand& demand = candidate.demand;
  std::int64_t after = 0;
  std::int64_t before = 0;
  if (demand.kind == Demand::Kind::kMig) {
    const MigTable& mig = *candidate.mig;
    const std::uint8_t used = gpu.used_slices();
    const std::uint8_t start = mig.start(demand.profile, used);
    after =
        worth_.layout(mig, static_cast<std::uint8_t>(used | mig.covered(demand.profile, start)));
    before = gpu.is_mig() ? worth_.layout(mig, used) : worth_.share(kDeviceMilli);
  } else {
    after = worth_.share(gpu.shareable_milli() - demand.milli);
    before = worth_.share(gpu.shareable_milli());
  }
  if (gpu.is_idle()) {
    const int idle = candidate.node.idle_gpus;
    const model::GpuModelId id = candidate.shape.gpu_model;
    after += worth_.whole(id, idle - 1);
    before += worth_.whole(id, idle);
  }
  return after - before;
}

HeadroomPlacement::Best HeadroomPlacement::best_device(const Candidate& candidate) const {
  const auto& gpus = candidate.node.gpus;
  std::int64_t best = std::numeric_limits<std::int64_t>::min();
  int best_gpu = 0;
  for (int i = 0; i < candidate.gpus(); ++i) {
    const Device gpu = gpus[static_cast<std::size_t>(i)];
    if (!device_fits(gpu, candidate.demand, candidate.mig)) continue;
    const std::int64_t score = on_gpu(candidate, gpu);
    if (score > best) {
      best = score;
      best_gpu = i;
    }
  }
  return {best, on_device(candidate.node, best_gpu, candidate.demand, candidate.mig)};
}

HeadroomPlacement::Best HeadroomPlacement::best(const Candidate& candidate) const {
  const NodeState& node = candidate.node;
  const Demand& demand = candidate.demand;
  if (candidate.gpus() == 0) return {0, {}};
  const std::int64_t free = idle_milli(candidate);
  const std::int64_t cpu = worth_.cpu_lacking(node.cpu, free) -
                           worth_.cpu_lacking(node.cpu - demand.cpu, free - demand.gpu_milli());
  if (demand.kind == Demand::Kind::kNone) return {cpu, {}};
  if (demand.kind == Demand::Kind::kWhole) {
    const model::GpuModelId id = candidate.shape.gpu_model;
    const int idle = node.idle_gpus;
    const std::int64_t gpus = worth_.whole(id, idle - demand.count) - worth_.whole(id, idle) -
                              std::int64_t{demand.count} * worth_.share(kDeviceMilli);
    return {cpu + gpus, tightest_devices(node, candidate.gpus(), demand, candidate.mig)};
  }
  Best one = best_device(candidate);
  one.score += cpu;
  return one;
}

Score HeadroomPlacement::score(const Candidate& candidate) const {
  return static_cast<Score>(best(candidate).score);
}

DeviceChoice HeadroomPlacement::devices(const Candidate& candidate, base::Rng&) const {
  return best(candidate).devices;
}

}  // namespace headroom::schedule
