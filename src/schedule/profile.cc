#include "schedule/profile.h"

#include <algorithm>

namespace headroom::schedule {

namespace {

constexpr base::Duration kLeastOverrun{300'000};  // five minutes

}  // namespace

base::Time expected_end(const JobEntry& job, base::Time now) {
  if (job.expected_end > now) return job.expected_end;
  const base::Duration tenth{base::between(job.started, now).value() / 10};
  return now + std::max(kLeastOverrun, tenth);
}

Profile::Profile(const State& state)
    : state_(state),
      claims_of_(state.cluster().node_count()),
      started_of_(state.cluster().node_count()),
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
    if (window.end <= state.now()) continue;
    for (model::NodeId node : window.nodes) {
      windows_of_[node.index()].push_back(static_cast<std::uint32_t>(w));
    }
    ends_.push_back(window.end);
  }
  std::sort(releases_.begin(), releases_.end(),
            [](const Release& a, const Release& b) { return a.time < b.time; });
}

std::size_t Profile::first_end_with(const std::vector<base::Time>& ends,
                                    const PoolOption& option) const {
  std::int64_t free = state_.capacity(option.pool);
  for (const QueueId top : state_.queues().top()) free -= state_.held(top, option.pool);
  base::Time time = state_.now();
  for (const Release& release : releases_) {
    if (free >= option.amount) break;
    if (release.pool != option.pool) continue;
    free += release.amount;
    time = release.time;
  }
  if (free < option.amount) return ends.size();
  return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), time) - ends.begin());
}

void Profile::started(model::NodeId node, RequestId request, DeviceChoice devices, base::Time end) {
  started_of_[node.index()].push_back({state_.now(), end, request, devices});
  ends_.push_back(end);
  ends_sorted_ = false;
}

const std::vector<base::Time>& Profile::ends() const {
  if (!ends_sorted_) {
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
    ends_sorted_ = true;
  }
  return ends_;
}

void Profile::claim(model::NodeId node, RequestId request, DeviceChoice devices, base::Time from,
                    base::Time to) {
  claims_of_[node.index()].push_back({from, to, request, devices});
  ends_.push_back(to);
  ends_sorted_ = false;
}

NodeState Profile::at(model::NodeId node, base::Time time) const {
  const ClusterState& cluster = state_.cluster();
  NodeState room = cluster.node(node);
  const model::ShapeId shape = cluster.shape_id(node);
  const MigTable* mig = cluster.mig_table(shape);
  const int gpus = cluster.shape(node).gpus;
  for (AllocationId id = cluster.first_allocation(node); id.valid();
       id = cluster.next_allocation(id)) {
    const Allocation& allocation = cluster.allocation(id);
    if (allocation.task == kTrialTask) continue;
    if (end_of_job_[state_.task(id).job.index()] > time) continue;
    vacate(room, cluster.demand(allocation.request, node), allocation.devices, mig, gpus);
  }
  for (const Claim& one : started_of_[node.index()]) {
    if (one.to > time) continue;
    vacate(room, cluster.demand(one.request, node), one.devices, mig, gpus);
  }
  for (const Claim& claim : claims_of_[node.index()]) {
    if (claim.from > time || claim.to <= time) continue;
    occupy(room, cluster.demand(claim.request, node), claim.devices, mig, gpus);
  }
  return room;
}

// Between the starts of claims the room only grows, so it is smallest at `from` or at one of them.
NodeState Profile::room(model::NodeId node, base::Time from, base::Time to, QueueId queue) const {
  NodeState room = at(node, from);
  const int gpus = state_.cluster().shape(node).gpus;
  for (const Claim& claim : claims_of_[node.index()]) {
    if (claim.from > from && claim.from < to) room = common(room, at(node, claim.from), gpus);
  }
  for (std::uint32_t w : windows_of_[node.index()]) {
    const Window& window = state_.windows()[w];
    const bool own = window.queue.valid() && window.queue == queue;
    if (!own && window.start < to && window.end > from) room.schedulable = false;
  }
  return room;
}

}  // namespace headroom::schedule
