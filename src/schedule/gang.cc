#include "schedule/gang.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "schedule/domains.h"
#include "schedule/mutants.h"
#include "schedule/room.h"

namespace headroom::schedule {

namespace {

class GangPlacer {
 public:
  GangPlacer(const State& state, const Placement& placement, const GangWish& wish,
             const RoomOf& room)
      : state_(state), placement_(placement), wish_(wish), room_of_(room) {
    const bool joins = wish.joins.valid() && !mutated(Mutant::kReplacedAnywhere);
    if (joins && members_settle_domains(wish.joins)) joins_ = wish.joins;
  }

  std::optional<model::Placement> place() {
    const std::vector<Range> all = groups();
    if (!wants_one_domain(all)) {
      if (!place_all(all)) return std::nullopt;
      return std::move(placed_);
    }
    const model::Level level = *wish_.spec->job->topology->required;
    for (const model::DomainId domain : tightest_first(level, all.front())) {
      within_ = {{level, domain}};
      if (place_all(all)) return std::move(placed_);
      placed_.clear();
      known_.clear();
    }
    return std::nullopt;
  }

  // One group: it fits when the domains can hold it.
  bool fits() {
    const std::vector<Range> all = groups();
    if (all.size() > 1 || joins_.valid()) return place().has_value();
    const auto [first, last] = all.front();
    const auto n = static_cast<std::int64_t>(last - first);
    const RequestId request = request_of(first);
    const bool with_gpus = gpus_of(wish_.tasks[first].group) > 0;
    const auto topology = topology_of(wish_.tasks[first].group);
    if (topology) {
      return divide(fabric(), topology, capacities(request, n, with_gpus), n).has_value();
    }
    std::int64_t room = 0;
    for (std::size_t i = 0; i < state_.cluster().node_count() && room < n; ++i) {
      room += capacity(model::NodeId{i}, request, n, with_gpus);
    }
    return room >= n;
  }

 private:
  using Range = std::pair<std::size_t, std::size_t>;  // of wish_.tasks
  using Within = std::pair<model::Level, model::DomainId>;

  std::int64_t gpus_of(std::int64_t group) const {
    const RequestId id = wish_.spec->requests[static_cast<std::size_t>(group)];
    std::int64_t most = 0;
    for (const Demand& demand : state_.cluster().requests().demands(id)) {
      most = std::max(most, demand.gpu_milli());
    }
    return most;
  }

  // The tasks by group, the most demanding group first; of members that join, by segment as well.
  std::vector<Range> groups() const {
    std::vector<Range> ranges;
    for (std::size_t i = 0; i < wish_.tasks.size(); ++i) {
      const bool same = i > 0 && wish_.tasks[i].group == wish_.tasks[i - 1].group &&
                        segment_of(wish_.tasks[i].index) == segment_of(wish_.tasks[i - 1].index);
      if (same) {
        ranges.back().second = i + 1;
      } else {
        ranges.emplace_back(i, i + 1);
      }
    }
    std::stable_sort(ranges.begin(), ranges.end(), [&](const Range& a, const Range& b) {
      return gpus_of(wish_.tasks[a.first].group) > gpus_of(wish_.tasks[b.first].group);
    });
    return ranges;
  }

  const model::Fabric& fabric() const { return state_.cluster().cluster().fabric; }

  RequestId request_of(std::size_t task) const {
    return wish_.spec->requests[static_cast<std::size_t>(wish_.tasks[task].group)];
  }

  bool concerns(std::int64_t group) const {
    if (gpus_of(group) > 0) return true;
    const auto groups = static_cast<std::int64_t>(wish_.spec->requests.size());
    for (std::int64_t g = 0; g < groups; ++g) {
      if (gpus_of(g) > 0) return false;
    }
    return true;
  }

  // Of members that join: their segment alone, which the domains of the others settle.
  std::optional<model::TopologySpec> topology_of(std::int64_t group) const {
    if (!wish_.with_topology || !wish_.spec->job->topology || !concerns(group)) return std::nullopt;
    if (mutated(Mutant::kTopologyIgnored)) return std::nullopt;
    model::TopologySpec topology = *wish_.spec->job->topology;
    if (joins_.valid() && topology.segment > 1) {
      topology = {.required = segment_level(topology), .preferred = {}, .segment = 0};
    }
    return topology;
  }

  std::int64_t segment_of(std::int64_t index) const {
    const auto& topology = wish_.spec->job->topology;
    const bool by_segment = joins_.valid() && topology && topology->segment > 1;
    return by_segment ? index / topology->segment : 0;
  }

  bool wants_one_domain(const std::vector<Range>& all) const {
    const auto& topology = wish_.spec->job->topology;
    if (!wish_.with_topology || !topology || !topology->required || joins_.valid()) {
      return false;
    }
    return std::count_if(all.begin(), all.end(), [&](const Range& range) {
             return concerns(wish_.tasks[range.first].group);
           }) > 1;
  }

  // Domains with room for the first group, those with the least first.
  std::vector<model::DomainId> tightest_first(model::Level level, const Range& range) {
    const auto n = static_cast<std::int64_t>(range.second - range.first);
    const bool with_gpus = gpus_of(wish_.tasks[range.first].group) > 0;
    const auto capacity = capacities(request_of(range.first), n, with_gpus);
    std::vector<std::int64_t> room(fabric().domains[static_cast<std::size_t>(level)], 0);
    for (std::size_t i = 0; i < capacity.size(); ++i) {
      const model::DomainId id = domain(level, model::NodeId{i});
      if (id.valid()) room[id.index()] += capacity[i];
    }
    std::vector<model::DomainId> domains;
    for (std::size_t i = 0; i < room.size(); ++i) {
      if (room[i] >= n) domains.emplace_back(i);
    }
    std::stable_sort(domains.begin(), domains.end(), [&](model::DomainId a, model::DomainId b) {
      return room[a.index()] < room[b.index()];
    });
    return domains;
  }

  model::DomainId domain(model::Level level, model::NodeId node) const {
    const auto& domain_of = fabric().domain_of[static_cast<std::size_t>(level)];
    return node.index() < domain_of.size() ? domain_of[node.index()] : model::DomainId::none();
  }

  // Does a member run that the topology concerns?
  bool members_settle_domains(JobSlot job) const {
    for (const AllocationId id : state_.tasks_of(state_.job(job))) {
      if (concerns(state_.task(id).group)) return true;
    }
    return false;
  }

  // The domains that members which run already settle for those of a range that join them.
  void settle(const Range& range) {
    within_.clear();
    const auto& topology = wish_.spec->job->topology;
    if (!joins_.valid() || !topology) return;
    const TaskName& joins = wish_.tasks[range.first];
    for (const AllocationId id : state_.tasks_of(state_.job(joins_))) {
      const TaskEntry& task = state_.task(id);
      if (!concerns(task.group)) continue;
      const model::NodeId node = state_.cluster().allocation(id).node;
      if (topology->required) {
        within_.emplace_back(*topology->required, domain(*topology->required, node));
      }
      if (topology->segment > 1 && task.group == joins.group &&
          segment_of(task.index) == segment_of(joins.index)) {
        const model::Level level = segment_level(*topology);
        within_.emplace_back(level, domain(level, node));
      }
    }
  }

  bool place_all(const std::vector<Range>& ranges) {
    return std::all_of(ranges.begin(), ranges.end(), [&](const Range& range) {
      if (joins_.valid()) settle(range);
      return place_group(range.first, range.second);
    });
  }

  bool allowed(model::NodeId node) const {
    return std::all_of(within_.begin(), within_.end(),
                       [&](const auto& one) { return domain(one.first, node) == one.second; });
  }

  NodeState& room(model::NodeId node) {
    if (known_.empty()) {
      rooms_.resize(state_.cluster().node_count());
      known_.assign(state_.cluster().node_count(), false);
    }
    if (!known_[node.index()]) {
      rooms_[node.index()] = room_of_(node);
      known_[node.index()] = true;
    }
    return rooms_[node.index()];
  }

  Candidate candidate(model::NodeId node, RequestId request) {
    const model::ShapeId shape = state_.cluster().shape_id(node);
    return {.node = room(node),
            .shape = state_.cluster().cluster().shapes[shape.index()],
            .shape_id = shape,
            .demand = state_.cluster().requests().demand(request, shape),
            .request = request,
            .mig = state_.cluster().mig_table(shape)};
  }

  // How many tasks of the request the node could take, at most n.
  std::int64_t capacity(model::NodeId node, RequestId request, std::int64_t n, bool with_gpus) {
    if (!allowed(node)) return 0;
    const model::ShapeId shape = state_.cluster().shape_id(node);
    const Demand& demand = state_.cluster().requests().demand(request, shape);
    if (!demand.possible) return 0;
    if (with_gpus && state_.pool_of(shape) != wish_.pool) return 0;
    const MigTable* mig = state_.cluster().mig_table(shape);
    // A group that was placed before has taken from the rooms that are known.
    const NodeState free =
        !known_.empty() && known_[node.index()] ? rooms_[node.index()] : room_of_(node);
    return tasks_that_fit(free, demand, mig, state_.cluster().shape(node).gpus, n);
  }

  std::vector<std::int64_t> capacities(RequestId request, std::int64_t n, bool with_gpus) {
    std::vector<std::int64_t> found(state_.cluster().node_count(), 0);
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i] = capacity(model::NodeId{i}, request, n, with_gpus);
    }
    return found;
  }

  bool place_group(std::size_t first, std::size_t last) {
    const auto n = static_cast<std::int64_t>(last - first);
    const RequestId request = request_of(first);
    const bool with_gpus = gpus_of(wish_.tasks[first].group) > 0;
    const std::int64_t group = wish_.tasks[first].group;
    const std::vector<Within> kept = within_;
    if (!concerns(group)) within_.clear();
    const std::vector<std::int64_t> capacity = capacities(request, n, with_gpus);
    within_ = kept;
    const auto shares = divide(fabric(), topology_of(group), capacity, n);
    if (!shares) return false;
    std::size_t next = first;
    for (const Share& share : *shares) {
      for (const auto& [node, tasks] : fill(share, capacity, request)) {
        for (std::int64_t i = 0; i < tasks; ++i) put(wish_.tasks[next++], request, node);
      }
    }
    return true;
  }

  using Load = std::pair<model::NodeId, std::int64_t>;

  // Nodes that hold most first; as soon as one node can take the rest, the tightest that can.
  std::vector<Load> fill(const Share& share, const std::vector<std::int64_t>& capacity,
                         RequestId request) {
    struct Choice {
      std::uint32_t node;
      std::int64_t capacity;
      Score score;
    };
    std::vector<Choice> choices;
    for (std::uint32_t node : share.nodes) {
      if (capacity[node] == 0) continue;
      const Candidate asked = candidate(model::NodeId{node}, request);
      choices.push_back({node, capacity[node], placement_.score(asked)});
    }
    std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
      if (a.capacity != b.capacity) return a.capacity > b.capacity;
      if (a.score != b.score) return a.score > b.score;
      return a.node < b.node;
    });
    std::vector<Load> loads;
    std::int64_t left = share.tasks;
    for (auto next = choices.begin(); left > 0; ++next) {
      HEADROOM_ASSERT(next != choices.end());
      if (next->capacity >= left) {
        // The tightest that suffices, and of those the one with the best score.
        auto last = next;
        while (last + 1 != choices.end() && (last + 1)->capacity >= left) ++last;
        while (last != next && (last - 1)->capacity == last->capacity) --last;
        loads.emplace_back(model::NodeId{last->node}, left);
        break;
      }
      loads.emplace_back(model::NodeId{next->node}, next->capacity);
      left -= next->capacity;
    }
    return loads;
  }

  void put(const TaskName& task, RequestId request, model::NodeId node) {
    const Candidate asked = candidate(node, request);
    base::Rng unused(0);
    const DeviceChoice devices = placement_.devices(asked, unused);
    placed_.push_back(task_placement(state_, task, request, node, devices));
    occupy(room(node), asked.demand, devices, asked.mig, asked.gpus());
  }

  const State& state_;
  const Placement& placement_;
  const GangWish& wish_;
  const RoomOf& room_of_;
  std::vector<NodeState> rooms_;  // by node; empty until one is asked for
  std::vector<bool> known_;
  JobSlot joins_;               // the job that these tasks join, unless they are its first
  std::vector<Within> within_;  // all of them hold for nodes that a concerned group may use
  model::Placement placed_;
};

}  // namespace

std::optional<model::Placement> place_gang(const State& state, const Placement& placement,
                                           const GangWish& wish, const RoomOf& room) {
  return GangPlacer(state, placement, wish, room).place();
}

bool gang_fits(const State& state, const Placement& placement, const GangWish& wish,
               const RoomOf& room) {
  return GangPlacer(state, placement, wish, room).fits();
}

std::vector<TaskName> first_tasks(const JobSpec& spec, std::int64_t n) {
  std::vector<TaskName> tasks;
  for (std::size_t g = 0; g < spec.job->groups.size(); ++g) {
    for (std::int64_t i = 0; i < spec.job->groups[g].tasks && n > 0; ++i, --n) {
      tasks.push_back({static_cast<std::int64_t>(g), i});
    }
  }
  return tasks;
}

model::TaskPlacement task_placement(const State& state, const TaskName& task, RequestId request,
                                    model::NodeId node, DeviceChoice devices) {
  const Demand& demand = state.cluster().demand(request, node);
  const model::Cluster& cluster = state.cluster().cluster();
  model::TaskPlacement made{.group = task.group, .task = task.index, .node = node, .devices = {}};
  for (unsigned rest = devices.mask; rest != 0; rest &= rest - 1) {
    model::DeviceUse use{.gpu = std::countr_zero(rest), .share = base::GpuMilli{demand.milli}};
    if (demand.kind == Demand::Kind::kMig) {
      const model::GpuModelId gpu = state.cluster().shape(node).gpu_model;
      use.mig_profile = cluster.gpu_models[gpu.index()].mig_profiles[demand.profile].name;
      use.mig_start = devices.mig_start;
    }
    made.devices.push_back(std::move(use));
  }
  return made;
}

DeviceChoice devices_of(const model::TaskPlacement& placement) {
  DeviceChoice choice;
  for (const model::DeviceUse& use : placement.devices) {
    choice.mask = static_cast<std::uint16_t>(choice.mask | 1u << use.gpu);
    choice.mig_start = static_cast<std::uint8_t>(use.mig_start);
  }
  return choice;
}

std::int64_t amount_of(const State& state, const JobSpec& spec, PoolId pool,
                       const model::Placement& placed) {
  std::int64_t amount = 0;
  for (const model::TaskPlacement& task : placed) {
    const RequestId request = spec.requests[static_cast<std::size_t>(task.group)];
    const Demand& demand = state.cluster().demand(request, task.node);
    amount += pool == state.cpu_pool() ? demand.cpu.value() : demand.gpu_milli();
  }
  return amount;
}

PoolId pool_of(const State& state, const model::Placement& placed) {
  for (const model::TaskPlacement& task : placed) {
    if (!task.devices.empty()) return state.pool_of(state.cluster().shape_id(task.node));
  }
  return state.cpu_pool();
}

std::vector<TaskName> missing_tasks(const State& state, JobSlot slot) {
  const JobEntry& job = state.job(slot);
  std::int64_t lacks = job.spec->tasks - job.running - job.finished;
  std::vector<TaskName> missing;
  for (std::size_t g = 0; g < job.spec->job->groups.size(); ++g) {
    std::vector<bool> there(static_cast<std::size_t>(job.spec->job->groups[g].tasks), false);
    for (const AllocationId id : state.tasks_of(job)) {
      const TaskEntry& task = state.task(id);
      if (static_cast<std::size_t>(task.group) == g) {
        there[static_cast<std::size_t>(task.index)] = true;
      }
    }
    for (const auto& [group, index] : job.done) {
      if (static_cast<std::size_t>(group) == g) there[static_cast<std::size_t>(index)] = true;
    }
    for (std::size_t i = 0; i < there.size() && lacks > 0; ++i) {
      if (there[i]) continue;
      missing.push_back({static_cast<std::int64_t>(g), static_cast<std::int64_t>(i)});
      --lacks;
    }
  }
  return missing;
}

}  // namespace headroom::schedule
