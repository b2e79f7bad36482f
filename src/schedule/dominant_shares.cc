#include "schedule/dominant_shares.h"

#include <algorithm>

namespace headroom::schedule {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kWhole = 1'000'000'000'000;

}  // namespace

DominantShares::Amounts DominantShares::amounts_of(const JobSpec& spec, std::int64_t gpu_milli) {
  Amounts amounts{};
  for (const model::TaskGroup& group : spec.job->groups) {
    amounts[kCpu] += group.tasks * group.request.cpu.value();
    amounts[kMemory] += group.tasks * group.request.memory.value();
  }
  amounts[kGpu] = gpu_milli;
  return amounts;
}

void DominantShares::reset(const State& state) {
  if (tree_ != &state.queues()) {
    tree_ = &state.queues();
    all_ = {};
    const model::Cluster& cluster = state.cluster().cluster();
    for (const model::Node& node : cluster.nodes) {
      const model::NodeShape& shape = cluster.shapes[node.shape.index()];
      all_[kCpu] += shape.cpu.value();
      all_[kMemory] += shape.memory.value();
      all_[kGpu] += std::int64_t{kDeviceMilli} * shape.gpus;
    }
  }
  held_.assign(tree_->size(), {});
  dominant_.assign(tree_->size(), 0);
  for (const JobSlot slot : state.running()) {
    const JobEntry& job = state.job(slot);
    take(*job.spec, job.pool == state.cpu_pool() ? 0 : job.charged);
  }
}

void DominantShares::take(const JobSpec& spec, std::int64_t gpu_milli, std::int64_t sign) {
  const Amounts more = amounts_of(spec, gpu_milli);
  for (QueueId q = spec.queue; q.valid(); q = (*tree_)[q].parent) {
    for (std::size_t r = 0; r < kResources; ++r) held_[q.index()][r] += sign * more[r];
    dominant_[q.index()] = dominant(held_[q.index()]);
  }
}

std::int64_t DominantShares::with(QueueId queue, const JobSpec& spec, std::int64_t gpu_milli,
                                  std::int64_t sign) const {
  Amounts held = held_[queue.index()];
  const Amounts more = amounts_of(spec, gpu_milli);
  for (std::size_t r = 0; r < kResources; ++r) held[r] += sign * more[r];
  return dominant(held);
}

std::int64_t DominantShares::dominant(const Amounts& held) const {
  Wide most = 0;
  for (std::size_t r = 0; r < kResources; ++r) {
    if (all_[r] > 0) most = std::max(most, Wide{held[r]} * kWhole / all_[r]);
  }
  return static_cast<std::int64_t>(most);
}

}  // namespace headroom::schedule
