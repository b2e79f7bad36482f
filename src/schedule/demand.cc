#include "schedule/demand.h"
#include "schedule/mutants.h"

#include <algorithm>

namespace headroom::schedule {

namespace {

bool accepts(const model::Request& request, const model::NodeShape& shape,
             const model::Cluster& cluster) {
  for (const model::Label& wanted : request.labels) {
    if (!std::binary_search(shape.labels.begin(), shape.labels.end(), wanted)) return false;
  }
  if (request.gpu.kind == model::GpuRequest::Kind::kNone) return true;
  if (!shape.gpu_model.valid()) return false;
  const model::GpuModel& gpu = cluster.gpu_models[shape.gpu_model.index()];
  if (gpu.memory < request.min_gpu_memory) return false;
  return request.gpu_models.empty() ||
         std::find(request.gpu_models.begin(), request.gpu_models.end(), gpu.name) !=
             request.gpu_models.end();
}

// A share of a whole GPU is a whole GPU: a request equal to the device fits it.
void set_share(Demand& demand, std::int64_t milli) {
  demand.possible = milli <= kDeviceMilli;
  demand.kind = milli == kDeviceMilli ? Demand::Kind::kWhole : Demand::Kind::kShare;
  demand.count = 1;
  demand.milli = static_cast<std::int16_t>(std::min<std::int64_t>(milli, kDeviceMilli));
}

// ceil(1000 * amount / memory), at least 1, without overflow for any amount up to 2^53 bytes.
std::int64_t share_of_memory(base::Bytes amount, base::Bytes memory) {
  if (memory.value() <= 0 || amount > memory) return kDeviceMilli + 1;
  return (amount.value() * kDeviceMilli + memory.value() - 1) / memory.value();
}

void set_mig(Demand& demand, const std::string& name, const model::NodeShape& shape,
             const model::GpuModel& gpu) {
  demand.kind = Demand::Kind::kMig;
  const model::MigProfile* profile = gpu.profile(name);
  demand.possible = shape.mig && profile != nullptr && profile->starts != 0;
  if (!demand.possible) return;
  demand.profile = static_cast<std::uint8_t>(profile - gpu.mig_profiles.data());
  demand.slices = profile->size;
  demand.media = profile->name.ends_with("+me");
  demand.count = 1;
  demand.milli = static_cast<std::int16_t>(kDeviceMilli * profile->size / gpu.mig_slices);
}

}  // namespace

Demand resolve(const model::Request& request, const model::NodeShape& shape,
               const model::Cluster& cluster) {
  Demand demand;
  demand.cpu = request.cpu;
  demand.memory = request.memory;
  demand.exclusive = request.exclusive && !mutated(Mutant::kExclusiveIgnored);
  if (!accepts(request, shape, cluster)) return demand;
  using Kind = model::GpuRequest::Kind;
  switch (request.gpu.kind) {
    case Kind::kNone:
      demand.possible = true;
      break;
    case Kind::kWhole:
      demand.possible = request.gpu.count <= shape.gpus;
      demand.kind = Demand::Kind::kWhole;
      demand.count = static_cast<std::int16_t>(std::min(request.gpu.count, shape.gpus));
      demand.milli = kDeviceMilli;
      break;
    case Kind::kShare:
      set_share(demand, request.gpu.share.value());
      break;
    case Kind::kMemory:
      set_share(demand, share_of_memory(request.gpu.memory,
                                        cluster.gpu_models[shape.gpu_model.index()].memory));
      break;
    case Kind::kMig:
      set_mig(demand, request.gpu.profile, shape, cluster.gpu_models[shape.gpu_model.index()]);
      break;
  }
  demand.possible = demand.possible && request.cpu <= shape.cpu && request.memory <= shape.memory;
  return demand;
}

bool mig_fits(const NodeState& node, const Demand& demand, const MigTable* mig) {
  return std::any_of(node.gpus.begin(), node.gpus.end(),
                     [&](Device gpu) { return device_fits(gpu, demand, mig); });
}

}  // namespace headroom::schedule
