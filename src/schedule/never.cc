#include "schedule/never.h"

#include <algorithm>

#include "schedule/gang.h"

namespace headroom::schedule {

namespace {

using Why = model::RejectJob::Reason;

bool shares_a_gpu(const model::Request& request) {
  return request.gpu.kind == model::GpuRequest::Kind::kShare ||
         request.gpu.kind == model::GpuRequest::Kind::kMemory;
}

bool some_shape(const model::Cluster& cluster, const model::Request& request) {
  return std::any_of(
      cluster.shapes.begin(), cluster.shapes.end(),
      [&](const model::NodeShape& shape) { return resolve(request, shape, cluster).possible; });
}

// Only the model of the GPU, or only the labels, of a request.
model::Request model_only(const model::Request& request) {
  model::Request wish;
  wish.gpu = model::GpuRequest::whole(1);
  wish.gpu_models = request.gpu_models;
  wish.min_gpu_memory = request.min_gpu_memory;
  return wish;
}
model::Request labels_only(const model::Request& request) {
  model::Request wish;
  wish.labels = request.labels;
  return wish;
}

// Most whole GPUs in one node that the request's models and labels allow.
std::int64_t largest_node(const model::Cluster& cluster, const model::Request& request) {
  model::Request wish = model_only(request);
  wish.labels = request.labels;
  std::int64_t most = 0;
  for (const model::NodeShape& shape : cluster.shapes) {
    if (resolve(wish, shape, cluster).possible) most = std::max<std::int64_t>(most, shape.gpus);
  }
  return most;
}

// One task alone has no node: what is it about it?
std::optional<model::RejectJob> single_task(const model::Cluster& cluster, const JobSpec& spec) {
  for (const model::TaskGroup& group : spec.job->groups) {
    const model::Request& request = group.request;
    if (some_shape(cluster, request)) continue;
    const bool with_gpu = request.gpu.kind != model::GpuRequest::Kind::kNone;
    if (with_gpu && !some_shape(cluster, model_only(request))) {
      return model::RejectJob{spec.id, Why::kNoSuchGpuModel, 0, 0};
    }
    if (!some_shape(cluster, labels_only(request))) {
      return model::RejectJob{spec.id, Why::kNoMatchingLabels, 0, 0};
    }
    return model::RejectJob{spec.id, Why::kTooLargeForAnyNode, request.gpu.count,
                            with_gpu ? largest_node(cluster, request) : 0};
  }
  return std::nullopt;
}

struct Allowed {
  std::int64_t amount = 0;  // thousandths of the pool's unit
  Why reason = Why::kAboveQueueLimit;
};

// The most of the pool that the queues and the user may ever hold, and so the job.
Allowed most_allowed(const State& state, const JobSpec& spec, PoolId pool,
                     const std::vector<std::int64_t>& promises) {
  const QueueTree& tree = state.queues();
  Allowed most{kNoLimit, Why::kAboveQueueLimit};
  for (QueueId q = spec.queue; q.valid(); q = tree[q].parent) {
    most.amount = std::min(most.amount, tree[q].limit[pool.index()]);
  }
  const std::int64_t per_user = tree[spec.queue].user_limits.gpus;
  if (pool != state.cpu_pool() && per_user >= 0) {
    most.amount = std::min(most.amount, per_user * kDeviceMilli);
  }
  for (QueueId q = spec.queue; q.valid() && !spec.preemptible; q = tree[q].parent) {
    const std::int64_t promise = promises[q.index()];
    if (tree.binds(q, promise) && promise < most.amount) most = {promise, Why::kAboveGuarantee};
  }
  return most;
}

}  // namespace

std::optional<model::RejectJob> Never::look(const State& state, const Placement& placement,
                                            const JobSpec& spec) {
  if (!state.queues()[spec.queue].cooperative_sharing) {
    const auto& groups = spec.job->groups;
    const bool shares = std::any_of(groups.begin(), groups.end(), [](const model::TaskGroup& one) {
      return shares_a_gpu(one.request);
    });
    if (shares) return model::RejectJob{spec.id, Why::kNoIsolationForShares, 0, 0};
  }
  std::optional<Allowed> allowed;
  for (const PoolOption& option : spec.pools) {
    const auto [at, fresh] = can_ever_.try_emplace(option.key, false);
    if (fresh) {
      at->second = most_tasks(state, placement, spec, option.pool, true) >= spec.gang_minimum;
    }
    if (!at->second) continue;
    const Allowed most = most_allowed(state, spec, option.pool, promises(state, option.pool));
    if (option.least <= most.amount) return std::nullopt;
    if (!allowed || most.amount > allowed->amount) allowed = most;
  }
  if (allowed) {
    return model::RejectJob{spec.id, allowed->reason, spec.pools.front().least, allowed->amount};
  }
  return why(state, placement, spec);
}

// The most tasks of the job, up to its minimum, that the empty pool could run.
std::int64_t Never::most_tasks(const State& state, const Placement& placement, const JobSpec& spec,
                               PoolId pool, bool with_topology) {
  if (!empty_) empty_.emplace(state.cluster().shared_cluster());
  const RoomOf room = [&](model::NodeId node) { return empty_->node(node); };
  const auto fits = [&](std::int64_t n) {
    GangWish wish{&spec, pool, first_tasks(spec, n), 0};
    wish.with_topology = with_topology;
    return gang_fits(state, placement, wish, room);
  };
  std::int64_t low = 0;
  std::int64_t high = spec.gang_minimum;
  if (fits(high)) return high;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

model::RejectJob Never::why(const State& state, const Placement& placement, const JobSpec& spec) {
  if (const auto alone = single_task(state.cluster().cluster(), spec)) return *alone;
  if (spec.pools.empty()) {  // each group has a pool, but no pool has them all
    return {spec.id, Why::kTooLargeForTheCluster, spec.gang_minimum, 0};
  }
  std::int64_t most = 0;
  std::int64_t anywhere = 0;
  for (const PoolOption& option : spec.pools) {
    most = std::max(most, most_tasks(state, placement, spec, option.pool, true));
    anywhere = std::max(anywhere, most_tasks(state, placement, spec, option.pool, false));
  }
  const Why reason =
      anywhere >= spec.gang_minimum ? Why::kTopologyTooSmall : Why::kTooLargeForTheCluster;
  return {spec.id, reason, spec.gang_minimum, most};
}

const std::vector<std::int64_t>& Never::promises(const State& state, PoolId pool) {
  promises_.resize(state.queues().pools().size());
  std::vector<std::int64_t>& found = promises_[pool.index()];
  if (found.empty()) found = state.queues().promises(pool, state.full_capacity(pool));
  return found;
}

void Never::forget() {
  promises_.clear();
  empty_.reset();
  can_ever_.clear();
}

}  // namespace headroom::schedule
