#include "tests/simtest/feasible.h"

#include <map>

namespace headroom::simtest {

namespace {

using Kind = model::GpuRequest::Kind;
using model::DomainId;
using model::Level;
using model::NodeId;

DomainId domain(const model::Cluster& cluster, Level level, NodeId node) {
  const auto& domain_of = cluster.fabric.domain_of[static_cast<std::size_t>(level)];
  return node.index() < domain_of.size() ? domain_of[node.index()] : DomainId::none();
}

// Does the wish concern this group? Those with GPUs; all, when the job has none with GPUs.
bool concerns(const model::Job& job, const model::TaskGroup& group) {
  if (group.request.gpu.kind != Kind::kNone) return true;
  for (const model::TaskGroup& one : job.groups) {
    if (one.request.gpu.kind != Kind::kNone) return false;
  }
  return true;
}

Level segment_level(const model::TopologySpec& wish) {
  return wish.preferred ? *wish.preferred : wish.required.value_or(Level::kNode);
}

using Counts = std::map<NodeId, std::int64_t>;

// Tasks that fit on these nodes when segments stay in one domain.
std::int64_t whole_segments(const model::Cluster& cluster, const model::TopologySpec& wish,
                            const Counts& counts) {
  std::map<DomainId, std::int64_t> rooms;
  for (const auto& [node, count] : counts) {
    const DomainId id = domain(cluster, segment_level(wish), node);
    if (id.valid()) rooms[id] += count;
  }
  std::int64_t sum = 0;
  for (const auto& [id, room] : rooms) sum += room / wish.segment * wish.segment;
  return sum;
}

std::int64_t room_in(const model::Cluster& cluster, const model::TopologySpec& wish,
                     const Counts& counts) {
  if (wish.segment > 1) return whole_segments(cluster, wish, counts);
  std::int64_t sum = 0;
  for (const auto& [node, count] : counts) sum += count;
  return sum;
}

}  // namespace

std::optional<bool> feasible(const BookJob& job, const std::string& pool, const Rooms& rooms,
                             const Allowed& allowed) {
  if (job.job->groups.size() != 1) return std::nullopt;
  const model::TaskGroup& group = job.job->groups.front();
  const std::int64_t tasks = job.minimum();
  if (group.request.gpu.kind == Kind::kMig && tasks > 1) return std::nullopt;
  const model::Cluster& cluster = rooms.cluster();
  Counts counts;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const NodeId node{i};
    const model::NodeShape& shape = cluster.shape(node);
    if ((pool != "cpu" && shape.pool != pool) || !allowed(node)) continue;
    const std::int64_t count = count_that_fit(rooms[node], group.request, shape, cluster, tasks);
    if (count > 0) counts[node] = count;
  }
  const model::TopologySpec wish = job.job->topology.value_or(model::TopologySpec{});
  if (!wish.required) return room_in(cluster, wish, counts) >= tasks;
  std::map<DomainId, Counts> domains;
  for (const auto& [node, count] : counts) {
    const DomainId id = domain(cluster, *wish.required, node);
    if (id.valid()) domains[id][node] = count;
  }
  for (const auto& [id, inside] : domains) {
    if (room_in(cluster, wish, inside) >= tasks) return true;
  }
  return false;
}

std::string wrong_domain(const BookJob& job, const model::Cluster& cluster) {
  if (!job.job->topology) return {};
  const model::TopologySpec& wish = *job.job->topology;
  std::map<std::int64_t, DomainId> of_segment;
  std::optional<DomainId> of_job;
  for (const model::TaskPlacement& task : job.tasks) {
    if (!concerns(*job.job, job.job->groups[static_cast<std::size_t>(task.group)])) continue;
    if (wish.required) {
      const DomainId id = domain(cluster, *wish.required, task.node);
      if (!id.valid()) return "a task runs on a node of unknown domain";
      if (of_job.value_or(id) != id) return "runs in two domains of the level that it requires";
      of_job = id;
    }
    if (wish.segment > 1) {
      const DomainId id = domain(cluster, segment_level(wish), task.node);
      const auto [at, fresh] = of_segment.try_emplace(task.task / wish.segment, id);
      if (!id.valid() || at->second != id) return "a segment runs in two domains";
    }
  }
  return {};
}

}  // namespace headroom::simtest
