#include "formats/build_cluster.h"

#include <fmt/format.h>

#include "formats/cluster_check.h"
#include "formats/quantity.h"

namespace headroom::formats {

using base::Result;
using model::Cluster;
using model::DomainId;
using model::GpuModelId;
using model::Level;
using model::PoolSpec;
using model::Site;

namespace {

Result<GpuModelId> add_gpu_model(const model::GpuSpec& gpu, const model::Catalogue& catalogue,
                                 Cluster& cluster) {
  model::GpuModel wanted{.name = gpu.model, .memory = gpu.memory};
  if (const model::Product* const product = catalogue.find(gpu.model)) {
    wanted = product->gpu;
    if (gpu.memory.value() > 0) wanted.memory = gpu.memory;
  } else if (gpu.memory.value() == 0) {
    return base::fail(
        fmt::format("unknown GPU model {}: a model of your own needs its memory", gpu.model));
  }
  if (const GpuModelId known = cluster.find_gpu_model(wanted.name); known.valid()) {
    const model::GpuModel& other = cluster.gpu_models[known.index()];
    if (other == wanted) return known;
    return base::fail(fmt::format("GPU model {} has two memories: {} and {}", wanted.name,
                                  print_bytes(other.memory), print_bytes(wanted.memory)));
  }
  cluster.gpu_models.push_back(std::move(wanted));
  return GpuModelId{cluster.gpu_models.size() - 1};
}

Result<void> add_pool(const PoolSpec& pool, const model::Catalogue& catalogue, Cluster& cluster) {
  model::NodeShape shape{.pool = pool.pool, .cpu = pool.cpu, .memory = pool.memory};
  shape.labels = pool.labels;
  if (pool.gpu) {
    const Result<GpuModelId> gpu_model = add_gpu_model(*pool.gpu, catalogue, cluster);
    if (!gpu_model) return tl::unexpected(gpu_model.error());
    shape.gpu_model = *gpu_model;
    shape.gpus = pool.gpu->count;
    shape.mig = pool.gpu->mig;
  }
  const model::ShapeId id = cluster.intern_shape(shape);
  for (std::string& name : node_names_of(pool)) {
    cluster.nodes.push_back({.name = std::move(name), .shape = id});
  }
  return {};
}

// Nodes of a pool that share a domain of the level; 0: not known.
std::int64_t domain_nodes(const Site& site, const PoolSpec& pool, Level level) {
  switch (level) {
    case Level::kNode:
      return 1;
    case Level::kNvlinkDomain:
      return pool.gpu ? pool.nvlink_domain : 0;
    case Level::kRack:
      return pool.rack_size;
    case Level::kLeaf:
      return site.fabric ? site.fabric->leaf_nodes : 0;
    case Level::kPod:
      return pool.pod_size;
  }
  return 0;
}

void place_nodes(const Site& site, Level level, Cluster& cluster) {
  const auto at = static_cast<std::size_t>(level);
  std::vector<DomainId>& domain_of = cluster.fabric.domain_of[at];
  std::uint32_t& domains = cluster.fabric.domains[at];
  for (const PoolSpec& pool : site.nodes) {
    const std::int64_t size = domain_nodes(site, pool, level);
    for (std::int64_t i = 0; i < pool.count; ++i) {
      if (size == 0) {
        domain_of.push_back(DomainId::none());
        continue;
      }
      if (i % size == 0) ++domains;
      domain_of.push_back(DomainId{domains - 1});
    }
  }
}

}  // namespace

Result<Cluster> build_cluster(const Site& site, const model::Catalogue& catalogue) {
  Cluster cluster;
  cluster.name = site.cluster;
  for (const PoolSpec& pool : site.nodes) {
    if (auto done = add_pool(pool, catalogue, cluster); !done) {
      return base::fail(fmt::format("pool {}: {}", pool.pool, done.error().message));
    }
  }
  for (std::size_t level = 0; level < model::kLevels; ++level) {
    place_nodes(site, static_cast<Level>(level), cluster);
  }
  return cluster;
}

}  // namespace headroom::formats
