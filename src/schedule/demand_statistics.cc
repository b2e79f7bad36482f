#include "schedule/demand_statistics.h"

#include <algorithm>

#include "schedule/demand.h"

namespace headroom::schedule {

namespace {

// The models that the request names or that have the memory it wants; empty: it takes any.
ModelSet wanted_models(const model::Request& request, const model::Cluster& cluster) {
  if (request.gpu_models.empty() && request.min_gpu_memory <= base::Bytes{0}) return {};
  ModelSet models;
  for (std::size_t i = 0; i < cluster.gpu_models.size(); ++i) {
    const model::GpuModel& gpu = cluster.gpu_models[i];
    const auto& names = request.gpu_models;
    const bool named =
        names.empty() || std::find(names.begin(), names.end(), gpu.name) != names.end();
    if (named && gpu.memory >= request.min_gpu_memory) models.emplace_back(i);
  }
  return models;
}

}  // namespace

void DemandStatistics::add(const model::Request& request, const model::Cluster& cluster,
                           double count) {
  Demand demand;
  for (const model::NodeShape& shape : cluster.shapes) {
    demand = resolve(request, shape, cluster);
    if (demand.possible) break;
  }
  const bool shares = demand.kind == Demand::Kind::kWhole || demand.kind == Demand::Kind::kShare;
  if (!demand.possible || !shares) return;
  const double milli = count * static_cast<double>(demand.gpu_milli());
  by_size_[static_cast<std::size_t>(demand.milli)] += count * demand.count;
  if (demand.count > 1) by_gang_[static_cast<std::size_t>(demand.count)] += milli;
  if (ModelSet models = wanted_models(request, cluster); !models.empty()) {
    by_models_[std::move(models)] += milli;
  }
  cpu_ += count * static_cast<double>(demand.cpu.value());
  milli_ += milli;
}

}  // namespace headroom::schedule
