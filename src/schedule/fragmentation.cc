#include "schedule/fragmentation.h"

#include <algorithm>

namespace headroom::schedule {

namespace {

constexpr int kHintShift = 6;  // one hint for 64 milli of CPU

}  // namespace

Fragmentation::Fragmentation(const model::Cluster& cluster, const TaskMix& classes) {
  for (const TaskClass& one : classes) weight_ += one.count;
  for (const model::GpuModel& gpu : cluster.gpu_models) mig_tables_.emplace_back(gpu);
  for (const model::NodeShape& shape : cluster.shapes) {
    tables_.push_back(build(cluster, shape, classes));
  }
}

Fragmentation::Table Fragmentation::build(const model::Cluster& cluster,
                                          const model::NodeShape& shape,
                                          const TaskMix& classes) const {
  Table table;
  table.gpus = shape.gpus;
  if (shape.mig) {
    table.mig = &mig_tables_[shape.gpu_model.index()];
    table.slices = table.mig->slices();
  }
  std::vector<Demand> demands;
  for (const TaskClass& one : classes) demands.push_back(resolve(one.request, shape, cluster));
  add_sizes(table, demands);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (demands[i].possible) add_class(table, demands[i], classes[i].count);
  }
  return table;
}

// The distinct sizes and CPU amounts: the only places where a class begins to be satisfied.
void Fragmentation::add_sizes(Table& table, const std::vector<Demand>& demands) {
  std::array<bool, kDeviceMilli + 1> wanted{};
  for (const Demand& demand : demands) {
    if (!demand.possible || demand.kind == Demand::Kind::kNone) continue;
    table.cpus.push_back(demand.cpu.value());
    if (demand.count == 1) wanted[static_cast<std::size_t>(demand.milli)] = true;
  }
  std::sort(table.cpus.begin(), table.cpus.end());
  table.cpus.erase(std::unique(table.cpus.begin(), table.cpus.end()), table.cpus.end());
  std::uint16_t sizes = 0;
  for (std::size_t milli = 0; milli < wanted.size(); ++milli) {
    if (wanted[milli]) ++sizes;
    table.level[milli] = sizes;
  }
  table.width = std::size_t{sizes} + 1;
  const std::size_t rows = table.cpus.size() + 1;
  table.one.assign(rows * table.width, 0);
  table.many.assign(rows * (model::kMaxGpusPerNode + 1), 0);
  const std::int64_t most = table.cpus.empty() ? 0 : table.cpus.back();
  std::size_t hint = 0;
  for (std::int64_t cpu = 0; cpu <= most; cpu += 1 << kHintShift) {
    while (hint < table.cpus.size() && table.cpus[hint] <= cpu) ++hint;
    table.cpu_hint.push_back(static_cast<std::uint16_t>(hint));
  }
}

void Fragmentation::add_class(Table& table, const Demand& demand, std::int64_t count) {
  if (demand.kind == Demand::Kind::kNone) return;
  if (demand.kind == Demand::Kind::kMig) {
    table.mig_classes.push_back({demand.cpu, demand, count});
    return;
  }
  for (std::size_t row = table.cpu_level(demand.cpu); row <= table.cpus.size(); ++row) {
    if (demand.count == 1) {
      const std::size_t level = table.level[static_cast<std::size_t>(demand.milli)];
      for (std::size_t i = level; i < table.width; ++i) table.one[row * table.width + i] += count;
    } else {
      std::int64_t* many = &table.many[row * (model::kMaxGpusPerNode + 1)];
      for (int n = demand.count; n <= model::kMaxGpusPerNode; ++n) many[n] += count;
    }
  }
}

// Number of distinct CPU amounts that are not above `free`.
std::size_t Fragmentation::Table::cpu_level(base::CpuMilli free) const {
  const auto cell = static_cast<std::size_t>(free.value() >> kHintShift);
  if (cell >= cpu_hint.size()) return cpus.size();
  std::size_t below = cpu_hint[cell];
  while (below < cpus.size() && cpus[below] <= free.value()) ++below;
  return below;
}

Fragmentation::Sums Fragmentation::sums(const NodeState& node, model::ShapeId shape,
                                        base::CpuMilli cpu) const {
  const Table& table = tables_[shape.index()];
  const std::size_t row = table.cpu_level(cpu);
  Sums sums{.idle = 0,
            .of_use = 0,
            .idle_gpus = node.idle_gpus,
            .level = table.level.data(),
            .one = &table.one[row * table.width],
            .many = &table.many[row * (model::kMaxGpusPerNode + 1)]};
  for (int i = 0; i < table.gpus; ++i) {
    const Device gpu = node.gpus[static_cast<std::size_t>(i)];
    const std::int64_t free = gpu.free_milli(table.slices);
    sums.idle += free;
    sums.of_use += free * sums.one[sums.level[gpu.shareable_milli()]];
  }
  return sums;
}

std::int64_t Fragmentation::of(const NodeState& node, model::ShapeId shape) const {
  const Table& table = tables_[shape.index()];
  std::int64_t fragment = of(sums(node, shape, node.cpu));
  if (!table.mig_classes.empty()) fragment -= of_use_to_mig(table, node);
  return fragment;
}

std::int64_t Fragmentation::of_use_to_mig(const Table& table, const NodeState& node) {
  std::int64_t of_use = 0;
  for (const MigClass& one : table.mig_classes) {
    if (one.cpu > node.cpu) continue;
    for (int i = 0; i < table.gpus; ++i) {
      const Device gpu = node.gpus[static_cast<std::size_t>(i)];
      if (!device_fits(gpu, one.demand, table.mig)) continue;
      of_use += one.count * gpu.free_milli(table.slices);
    }
  }
  return of_use;
}

}  // namespace headroom::schedule
