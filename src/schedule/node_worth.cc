#include "schedule/node_worth.h"

#include "schedule/cutting_stock.h"
#include "schedule/room.h"

namespace headroom::schedule {

namespace {

// Found on the openb lists; none of them is critical (docs/placement.md, "Constants").
constexpr double kUnit = 256.0;       // fixed-point units in a milli
constexpr unsigned kVariations = 8;   // prices are averaged over mixes in which ...
constexpr double kVariation = 0.05;   // ... each size is asked for 5 % more or less
constexpr double kTight = 0.03;       // x g^2 / 1000: of equal worth, the tighter GPU
constexpr double kWholeBonus = 0.03;  // of a GPU: untouched GPUs stay untouched
constexpr double kModelBonus = 0.05;  // x pressure on the model
constexpr double kGangBonus = 0.01;   // x share of the demand / room for it
constexpr double kCpuWorth = 0.2;     // of a free GPU that has no CPU beside it
constexpr double kCpuSpare = 0.65;    // x mean need: free CPU that tasks without GPUs find first
constexpr double kCpuShare = 0.45;    // of the CPU free per free GPU is kept for GPUs at least
constexpr double kCpuStep = 0.10;     // relative change that is followed
constexpr int kExactSizes = 48;       // so many sizes are priced one by one; beyond them ...
constexpr std::size_t kGrid = 25;     // ... rare ones are rounded up to multiples of this
constexpr double kRare = 0.01;        // of all shares

std::int64_t fixed(double milli) {
  return static_cast<std::int64_t>(milli * kUnit + (milli < 0 ? -0.5 : 0.5));
}

// The sizes that are asked for, largest first.
std::vector<SizeDemand> sizes_of(const DemandStatistics& statistics) {
  const auto& by_size = statistics.devices_by_size();
  double all = 0;
  int different = 0;
  for (double devices : by_size) {
    all += devices;
    different += devices > 0 ? 1 : 0;
  }
  std::array<double, kDeviceMilli + 1> merged{};
  for (std::size_t g = 1; g < by_size.size(); ++g) {
    const bool exact = different <= kExactSizes || by_size[g] >= kRare * all;
    merged[exact ? g : (g + kGrid - 1) / kGrid * kGrid] += by_size[g];
  }
  std::vector<SizeDemand> sizes;
  for (std::size_t g = merged.size(); g-- > 1;) {
    if (merged[g] > 0) sizes.push_back({static_cast<int>(g), merged[g]});
  }
  return sizes;
}

// The best filling of each rest, a full GPU being worth 1: mean over variations of the mix, which
// is never known exactly (a price that hangs on one share more or less is not to be trusted).
std::vector<double> mean_fillings(const std::vector<SizeDemand>& sizes) {
  std::vector<double> mean(kDeviceMilli + 1, 0.0);
  for (unsigned variation = 0; variation < kVariations; ++variation) {
    std::vector<SizeDemand> varied = sizes;
    for (std::size_t j = 0; j < varied.size(); ++j) {
      const bool more = (variation >> (j % 3) & 1u) != 0;
      varied[j].devices *= more ? 1.0 + kVariation : 1.0 - kVariation;
    }
    const std::vector<double> best = best_fillings(varied, size_prices(varied));
    for (std::size_t g = 0; g < mean.size(); ++g) mean[g] += best[g] / best.back() / kVariations;
  }
  return mean;
}

}  // namespace

NodeWorth::NodeWorth(const model::Cluster& cluster)
    : devices_of_model_(cluster.gpu_models.size(), 0.0), whole_(cluster.gpu_models.size()) {
  for (const model::Node& node : cluster.nodes) {
    const model::NodeShape& shape = cluster.shapes[node.shape.index()];
    if (shape.gpus == 0) continue;
    devices_ += shape.gpus;
    devices_of_model_[shape.gpu_model.index()] += shape.gpus;
    for (int k = 2; k <= shape.gpus; ++k) {
      const int gangs = shape.gpus / k;
      gang_slots_[static_cast<std::size_t>(k)] += gangs;
    }
  }
  for (std::size_t g = 0; g < h_.size(); ++g) {
    h_[g] = static_cast<std::int32_t>(fixed(static_cast<double>(g)));
  }
  for (ByIdleGpus& whole : whole_) whole = worth_of_idle({}, 0);
}

bool NodeWorth::learn(const DemandStatistics& demand) {
  if (demand.milli() <= 0) return false;
  const auto h_before = h_;
  const auto whole_before = whole_;
  const std::vector<double> filling = mean_fillings(sizes_of(demand));
  for (std::size_t g = 0; g < h_.size(); ++g) {
    const auto milli = static_cast<double>(g);
    h_[g] = static_cast<std::int32_t>(
        fixed(kDeviceMilli * filling[g] + kTight * milli * milli / kDeviceMilli));
  }
  const std::vector<double> pressure = pressures(demand);
  for (std::size_t i = 0; i < whole_.size(); ++i) whole_[i] = worth_of_idle(demand, pressure[i]);
  const double cpu_before = cpu_per_gpu_;
  cpu_per_gpu_ = demand.cpu() / demand.milli() * kDeviceMilli;
  const bool changed = h_ != h_before || whole_ != whole_before || cpu_per_gpu_ != cpu_before;
  if (changed) cpu_kept_ = -1;  // to be priced anew
  return changed;
}

// By model: over the constraints that accept it, the sum of (share of the demand) / (share of the
// GPUs that may serve it). 1: as scarce as GPUs in general.
std::vector<double> NodeWorth::pressures(const DemandStatistics& demand) const {
  std::vector<double> pressure(devices_of_model_.size(), 0.0);
  for (const auto& [models, milli] : demand.milli_by_models()) {
    double devices = 0;
    for (model::GpuModelId id : models) devices += devices_of_model_[id.index()];
    if (devices <= 0) continue;
    for (model::GpuModelId id : models) {
      pressure[id.index()] += milli / demand.milli() * devices_ / devices;
    }
  }
  return pressure;
}

NodeWorth::ByIdleGpus NodeWorth::worth_of_idle(const DemandStatistics& demand,
                                               double pressure) const {
  ByIdleGpus worth{};
  for (int idle = 0; idle <= model::kMaxGpusPerNode; ++idle) {
    double milli = (kWholeBonus + kModelBonus * pressure) * kDeviceMilli * idle;
    for (int k = 2; k <= idle && demand.milli() > 0; ++k) {
      const double slots = gang_slots_[static_cast<std::size_t>(k)];
      if (slots <= 0) continue;
      const double share = demand.gang_milli(k) / demand.milli();
      const int gangs = idle / k;
      milli += kGangBonus * kDeviceMilli * share * devices_ / slots * gangs;
    }
    worth[static_cast<std::size_t>(idle)] = static_cast<std::int32_t>(fixed(milli));
  }
  return worth;
}

// The tasks' mean as long as CPU is plenty. Where it is short, tasks without GPUs will take it
// anyway: then a part of what is free per free GPU is all that can be kept.
bool NodeWorth::price_cpu(base::CpuMilli free_cpu, base::GpuMilli free_gpu) {
  double kept = cpu_per_gpu_;
  if (free_gpu > base::GpuMilli{0}) {
    const double free = static_cast<double>(free_cpu.value()) * kDeviceMilli /
                        static_cast<double>(free_gpu.value());
    kept = std::min(kept, std::max(kCpuShare * free, free - kCpuSpare * kept));
  }
  const double change = kept > cpu_kept_ ? kept - cpu_kept_ : cpu_kept_ - kept;
  const bool back_to_the_mean = kept == cpu_per_gpu_ && cpu_kept_ < kept;
  if (cpu_kept_ >= 0 && change <= kCpuStep * cpu_kept_ && !back_to_the_mean) return false;
  cpu_kept_ = kept;
  per_milli_ = kept >= 1 ? fixed(kCpuWorth) : 0;
  const double per_cpu = static_cast<double>(per_milli_) * kDeviceMilli * 1'048'576.0;  // x 2^20
  per_cpu_ = kept >= 1 ? static_cast<std::int64_t>(per_cpu / kept + 0.5) : 0;
  return true;
}

std::int64_t NodeWorth::of(const NodeState& node, const model::NodeShape& shape,
                           const MigTable* mig) const {
  if (shape.gpus == 0) return 0;
  std::int64_t worth = 0;
  const std::int64_t free = idle_milli(node, shape.gpus, mig);
  for (int i = 0; i < shape.gpus; ++i) {
    const Device gpu = node.gpus[static_cast<std::size_t>(i)];
    worth += gpu.is_mig() ? layout(*mig, gpu.used_slices()) : share(gpu.shareable_milli());
  }
  return worth + whole(shape.gpu_model, node.idle_gpus) - cpu_lacking(node.cpu, free);
}

}  // namespace headroom::schedule
