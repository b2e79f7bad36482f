#include "schedule/clearing.h"

#include <algorithm>

#include "schedule/room.h"

namespace headroom::schedule {

Clearing::Clearing(const State& state) : state_(state), placement_(state.cluster().cluster()) {
  rooms_.reserve(state.cluster().node_count());
  for (std::size_t i = 0; i < state.cluster().node_count(); ++i) {
    rooms_.push_back(state.cluster().node(model::NodeId{i}));
  }
}

bool Clearing::fits(JobSlot job, const PoolOption& option) {
  const auto placed = place(rooms_, job, option);
  if (placed) take(job, *placed);
  return placed.has_value();
}

std::optional<std::vector<JobSlot>> Clearing::make_room(JobSlot job, const PoolOption& option,
                                                        const std::vector<JobSlot>& candidates) {
  // The fewest first candidates that suffice are in (low, high].
  std::size_t low = 0;
  std::size_t high = candidates.size();
  std::optional<model::Placement> placed = place(without(candidates, high), job, option);
  if (!placed) return std::nullopt;
  for (std::size_t step = 1; high - low > 1; step *= 2) {
    const std::size_t middle = low + std::min(step, (high - low) / 2);
    auto fewer = place(without(candidates, middle), job, option);
    (fewer ? high : low) = middle;
    if (fewer) placed = std::move(fewer);
  }
  std::vector<JobSlot> victims(candidates.begin(),
                               candidates.begin() + static_cast<std::ptrdiff_t>(high));
  std::erase_if(victims, [&](JobSlot one) { return !touches(one, *placed); });
  for (std::size_t i = victims.size(); i-- > 0;) {
    std::vector<JobSlot> fewer = victims;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    auto again = place(without(fewer, fewer.size()), job, option);
    if (!again) continue;
    victims = std::move(fewer);
    placed = std::move(again);
  }
  for (const JobSlot one : victims) vacate(rooms_, one);
  take(job, *placed);
  return victims;
}

Clearing::Rooms Clearing::without(const std::vector<JobSlot>& candidates, std::size_t count) const {
  Rooms rooms = rooms_;
  for (std::size_t i = 0; i < count; ++i) vacate(rooms, candidates[i]);
  return rooms;
}

void Clearing::vacate(Rooms& rooms, JobSlot running) const {
  const ClusterState& cluster = state_.cluster();
  for (const AllocationId id : state_.tasks_of(state_.job(running))) {
    const Allocation& held = cluster.allocation(id);
    schedule::vacate(rooms[held.node.index()], cluster.demand(held.request, held.node),
                     held.devices, cluster.mig_table(cluster.shape_id(held.node)),
                     cluster.shape(held.node).gpus);
  }
}

bool Clearing::touches(JobSlot running, const model::Placement& placed) const {
  for (const AllocationId id : state_.tasks_of(state_.job(running))) {
    const model::NodeId node = state_.cluster().allocation(id).node;
    const bool used =
        std::any_of(placed.begin(), placed.end(),
                    [&](const model::TaskPlacement& one) { return one.node == node; });
    if (used) return true;
  }
  return false;
}

std::optional<model::Placement> Clearing::place(const Rooms& rooms, JobSlot job,
                                                const PoolOption& option) const {
  const JobSpec& spec = *state_.job(job).spec;
  const base::Time end = state_.now() + planned_time(spec, state_.settings());
  const RoomOf room = [&](model::NodeId node) {
    NodeState free = rooms[node.index()];
    for (const Window& window : state_.windows()) {
      if (!window.shuts_out(spec.queue, state_.now(), end)) continue;
      const bool closed =
          std::find(window.nodes.begin(), window.nodes.end(), node) != window.nodes.end();
      if (closed) free.schedulable = false;
    }
    return free;
  };
  const GangWish wish{&spec, option.pool, first_tasks(spec, spec.gang_minimum), option.least};
  return place_gang(state_, placement_, wish, room);
}

void Clearing::take(JobSlot job, const model::Placement& placed) {
  const ClusterState& cluster = state_.cluster();
  for (const model::TaskPlacement& task : placed) {
    const RequestId request = state_.job(job).spec->requests[static_cast<std::size_t>(task.group)];
    occupy(rooms_[task.node.index()], cluster.demand(request, task.node), devices_of(task),
           cluster.mig_table(cluster.shape_id(task.node)), cluster.shape(task.node).gpus);
  }
}

}  // namespace headroom::schedule
