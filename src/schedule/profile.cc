#include "schedule/profile.h"
#include "schedule/mutants.h"

#include <algorithm>
#include <bit>

namespace headroom::schedule {

namespace {

constexpr base::Duration kLeastOverrun{300'000};  // five minutes

std::uint16_t idle_mask(const NodeState& room, int gpus) {
  unsigned mask = 0;
  for (unsigned i = 0; i < static_cast<unsigned>(gpus); ++i) {
    if (room.gpus[i].is_idle()) mask |= 1u << i;
  }
  return static_cast<std::uint16_t>(mask);
}

}  // namespace

base::Time expected_end(const JobEntry& job, base::Time now) {
  if (job.expected_end > now) return job.expected_end;
  const base::Duration elapsed = base::between(job.started, now);
  const base::Time again = now + std::max(kLeastOverrun, elapsed);
  const base::Duration limit = job.spec->job->time;
  const base::Time last = job.started + limit;  // it is stopped then
  return limit > base::Duration{0} && last > now ? std::min(again, last) : again;
}

Profile::Profile(const State& state)
    : state_(state),
      timelines_(state.cluster().node_count()),
      started_of_(state.cluster().node_count()),
      claimed_(state.cluster().node_count(), false),
      windows_of_(state.cluster().node_count()),
      end_of_job_(state.job_slots(), kNever) {
  for (const JobSlot slot : state.running()) {
    const JobEntry& job = state.job(slot);
    const base::Time end = expected_end(job, state.now());
    end_of_job_[slot.index()] = end;
    ends_.push_back(end);
    releases_.push_back({end, job.pool, job.charged});
  }
  for (std::size_t w = 0; w < state.windows().size(); ++w) {
    const Window& window = state.windows()[w];
    if (window.end <= state.now() || mutated(Mutant::kWindowIgnored)) continue;
    for (model::NodeId node : window.nodes) {
      windows_of_[node.index()].push_back(static_cast<std::uint32_t>(w));
    }
    ends_.push_back(window.end);
  }
  std::sort(ends_.begin(), ends_.end());
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  std::sort(releases_.begin(), releases_.end(),
            [](const Release& a, const Release& b) { return a.time < b.time; });
}

std::size_t Profile::first_end_with(std::span<const base::Time> ends, PoolId pool,
                                    std::int64_t amount) const {
  std::int64_t free = state_.capacity(pool);
  for (const QueueId top : state_.queues().top()) free -= state_.held(top, pool);
  base::Time time = state_.now();
  for (const Release& release : releases_) {
    if (free >= amount) break;
    if (release.pool != pool) continue;
    free += release.amount;
    time = release.time;
  }
  if (free < amount) return ends.size();
  return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), time) - ends.begin());
}

void Profile::add_end(base::Time end) {
  const auto at = std::lower_bound(ends_.begin(), ends_.end(), end);
  if (at == ends_.end() || *at != end) ends_.insert(at, end);
}

void Profile::started(model::NodeId node, RequestId request, DeviceChoice devices, base::Time end) {
  add_end(end);
  if (timelines_[node.index()].empty()) {
    started_of_[node.index()].push_back({end, request, devices});
  } else {
    take(node, request, devices, state_.now(), end);
  }
}

void Profile::claim(model::NodeId node, RequestId request, DeviceChoice devices, base::Time from,
                    base::Time to) {
  if (mutated(Mutant::kReservationIgnored)) return;
  add_end(to);
  claimed_[node.index()] = true;
  take(node, request, devices, from, to);
}

// Index of the step that holds at this time.
std::size_t Profile::step_at(const Timeline& steps, base::Time time) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), time,
                                      [](base::Time t, const Step& step) { return t < step.from; });
  HEADROOM_ASSERT(after != steps.begin());
  return static_cast<std::size_t>(after - steps.begin()) - 1;
}

// Index of the step that begins at this very time, made if there is none.
std::size_t Profile::split(Timeline& steps, base::Time time) {
  const std::size_t at = step_at(steps, time);
  if (steps[at].from == time) return at;
  steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(at) + 1,
               {time, steps[at].room, steps[at].idle});
  return at + 1;
}

void Profile::take(model::NodeId node, RequestId request, DeviceChoice devices, base::Time from,
                   base::Time to) {
  Timeline& steps = timeline(node);
  const std::size_t first = split(steps, from);
  const std::size_t last = to == kNever ? steps.size() : split(steps, to);
  steps[first].shrinks = true;
  const Demand& demand = state_.cluster().demand(request, node);
  const MigTable* mig = state_.cluster().mig_table(state_.cluster().shape_id(node));
  const int gpus = state_.cluster().shape(node).gpus;
  for (std::size_t i = first; i < last; ++i) {
    occupy(steps[i].room, demand, devices, mig, gpus);
    steps[i].idle = idle_mask(steps[i].room, gpus);
  }
}

Profile::Timeline& Profile::timeline(model::NodeId node) const {
  Timeline& steps = timelines_[node.index()];
  if (!steps.empty()) return steps;
  const ClusterState& cluster = state_.cluster();
  std::vector<Started> held = started_of_[node.index()];
  for (AllocationId id = cluster.first_allocation(node); id.valid();
       id = cluster.next_allocation(id)) {
    const Allocation& allocation = cluster.allocation(id);
    if (allocation.task == kTrialTask) continue;
    const base::Time end = end_of_job_[state_.task(id).job.index()];
    if (end != kNever) held.push_back({end, allocation.request, allocation.devices});
  }
  std::stable_sort(held.begin(), held.end(),
                   [](const Started& a, const Started& b) { return a.end < b.end; });
  steps.push_back({state_.now(), cluster.node(node)});
  const MigTable* mig = cluster.mig_table(cluster.shape_id(node));
  for (const Started& one : held) {
    if (one.end > steps.back().from) steps.push_back({one.end, steps.back().room});
    vacate(steps.back().room, cluster.demand(one.request, node), one.devices, mig,
           cluster.shape(node).gpus);
  }
  for (Step& step : steps) step.idle = idle_mask(step.room, cluster.shape(node).gpus);
  return steps;
}

// Between the starts of claims the room only grows, so it is smallest at `from` or at one of them.
NodeState Profile::room(model::NodeId node, base::Time from, base::Time to, QueueId queue) const {
  const Timeline& steps = timeline(node);
  std::size_t i = step_at(steps, from);
  NodeState room = steps[i].room;
  const int gpus = state_.cluster().shape(node).gpus;
  while (++i < steps.size() && steps[i].from < to) {
    if (steps[i].shrinks) room = common(room, steps[i].room, gpus);
  }
  if (closed(node, from, to, queue)) room.schedulable = false;
  return room;
}

NodeState Profile::counts(model::NodeId node, base::Time from, base::Time to, QueueId queue) const {
  const Timeline& steps = timeline(node);
  std::size_t i = step_at(steps, from);
  NodeState room = steps[i].room;
  std::uint16_t idle = steps[i].idle;
  while (++i < steps.size() && steps[i].from < to) {
    if (!steps[i].shrinks) continue;
    const NodeState& next = steps[i].room;
    idle = static_cast<std::uint16_t>(idle & steps[i].idle);
    room.cpu = std::min(room.cpu, next.cpu);
    room.memory = std::min(room.memory, next.memory);
    room.tasks = std::max(room.tasks, next.tasks);
    room.exclusive = room.exclusive || next.exclusive;
  }
  room.idle_gpus = static_cast<std::uint8_t>(std::popcount(idle));
  if (closed(node, from, to, queue)) room.schedulable = false;
  return room;
}

// A window of others lies in the span.
bool Profile::closed(model::NodeId node, base::Time from, base::Time to, QueueId queue) const {
  const auto& windows = windows_of_[node.index()];
  return std::any_of(windows.begin(), windows.end(), [&](std::uint32_t w) {
    return state_.windows()[w].shuts_out(queue, from, to);
  });
}

}  // namespace headroom::schedule
