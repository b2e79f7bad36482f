#include "schedule/never.h"

#include <algorithm>

#include "base/digest.h"
#include "schedule/gang.h"

namespace headroom::schedule {

namespace {

using Why = model::RejectJob::Reason;

bool shares_a_gpu(const model::Request& request) {
  return request.gpu.kind == model::GpuRequest::Kind::kShare ||
         request.gpu.kind == model::GpuRequest::Kind::kMemory;
}

// Shapes that a node has; removed ones leave theirs behind.
std::vector<model::NodeShape> shapes_in_use(const model::Cluster& cluster) {
  std::vector<bool> used(cluster.shapes.size(), false);
  for (const model::Node& node : cluster.nodes) used[node.shape.index()] = true;
  std::vector<model::NodeShape> shapes;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) shapes.push_back(cluster.shapes[i]);
  }
  return shapes;
}

bool some_shape(const model::Cluster& cluster, const model::Request& request) {
  const std::vector<model::NodeShape> shapes = shapes_in_use(cluster);
  return std::any_of(shapes.begin(), shapes.end(), [&](const model::NodeShape& shape) {
    return resolve(request, shape, cluster).possible;
  });
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
  for (const model::NodeShape& shape : shapes_in_use(cluster)) {
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

// The most tasks, up to `all`, that fit: `fits` holds for fewer when it holds for more.
template <class Fits>
std::int64_t most_that(std::int64_t all, Fits fits) {
  if (fits(all)) return all;
  std::int64_t low = 0;
  std::int64_t high = all;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
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
    Allowed most = most_allowed(state, spec, option.pool, promises(state, option.pool));
    if (option.least <= most.amount && !spec.preemptible) {
      const std::int64_t tasks = most_beside_cells(state, placement, spec, option);
      if (tasks < spec.gang_minimum) {
        most = {option.least * tasks / spec.gang_minimum, Why::kAboveGuarantee};
      }
    }
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
  const ClusterState& cluster = empty(state);
  const RoomOf room = [&](model::NodeId node) { return cluster.node(node); };
  return most_that(spec.gang_minimum, [&](std::int64_t n) {
    GangWish wish{&spec, pool, first_tasks(spec, n), 0};
    wish.with_topology = with_topology;
    return gang_fits(state, placement, wish, room);
  });
}

// As the scheduler tries it: wherever it is best, then in what the cells leave.
std::int64_t Never::most_beside_cells(const State& state, const Placement& placement,
                                      const JobSpec& spec, const PoolOption& option) {
  if (!cells_) cells_.emplace(state, Cells::When::kEmpty);
  if (!cells_->any()) return spec.gang_minimum;
  const std::uint64_t key = base::mix64(option.key ^ (std::uint64_t{spec.queue.index()} + 1));
  const auto [at, fresh] = beside_cells_.try_emplace(key, 0);
  if (!fresh) return at->second;
  const ClusterState& cluster = empty(state);
  const auto fits_in = [&](std::int64_t n, const std::vector<bool>& closed) {
    const RoomOf room = [&](model::NodeId node) {
      NodeState free = cluster.node(node);
      if (!closed.empty() && closed[node.index()]) free.schedulable = false;
      return free;
    };
    const auto placed =
        place_gang(state, placement, {&spec, option.pool, first_tasks(spec, n), 0}, room);
    return placed && !cells_->taken_from(spec.queue, *placed).valid();
  };
  const std::vector<bool> closed = cells_->closed_to(spec.queue);
  at->second = most_that(spec.gang_minimum,
                         [&](std::int64_t n) { return fits_in(n, {}) || fits_in(n, closed); });
  return at->second;
}

const ClusterState& Never::empty(const State& state) {
  if (!empty_) empty_.emplace(state.cluster().shared_cluster());
  return *empty_;
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
  cells_.reset();
  beside_cells_.clear();
}

}  // namespace headroom::schedule
