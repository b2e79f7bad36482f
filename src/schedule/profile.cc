#include "schedule/profile.h"

#include <algorithm>

namespace headroom::schedule {

namespace {

constexpr base::Duration kLeastOverrun{5 * 60'000};

}  // namespace

base::Time expected_end(const JobEntry& job, base::Time now) {
  if (job.expected_end > now) return job.expected_end;
  const base::Duration tenth{base::between(job.started, now).value() / 10};
  return now + std::max(kLeastOverrun, tenth);
}

Profile::Profile(const State& state)
    : state_(state),
      claims_of_(state.cluster().node_count()),
      windows_of_(state.cluster().node_count()),
      end_of_job_(state.job_slots(), kNever) {
  for (std::size_t i = 0; i < state.job_slots(); ++i) {
    const JobEntry& job = state.job(JobSlot{i});
    if (!job.spec || job.first_task < 0) continue;
    end_of_job_[i] = expected_end(job, state.now());
    ends_.push_back(end_of_job_[i]);
  }
  for (std::size_t w = 0; w < state.windows().size(); ++w) {
    const Window& window = state.windows()[w];
    if (window.end <= state.now()) continue;
    for (model::NodeId node : window.nodes) {
      windows_of_[node.index()].push_back(static_cast<std::uint32_t>(w));
    }
    ends_.push_back(window.end);
  }
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
    if (end_of_job_[state_.task(id).job.index()] > time) continue;
    const Allocation& allocation = cluster.allocation(id);
    vacate(room, cluster.demand(allocation.request, node), allocation.devices, mig, gpus);
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
