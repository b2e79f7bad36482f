// Changes of what there is: nodes, queues, and GPUs that could not be cut.
//
// Ids of nodes never change: an added node comes last, a removed one leaves a slot without name and
// hardware that is never used again. Where an added node sits is not known: it is in no domain but
// its own.
#include <algorithm>

#include "schedule/cells.h"
#include "schedule/changes.h"
#include "schedule/mutants.h"

namespace headroom::schedule {

void Changes::operator()(const model::NodeAdded& event) {
  model::Cluster cluster = s_.cluster_.cluster();
  cluster.nodes.push_back({event.name, cluster.intern_shape(event.shape)});
  for (std::vector<model::DomainId>& level : cluster.fabric.domain_of) {
    if (!level.empty()) level.push_back(model::DomainId::none());
  }
  constexpr auto own = static_cast<std::size_t>(model::Level::kNode);
  if (!cluster.fabric.domain_of[own].empty()) {
    cluster.fabric.domain_of[own].back() = model::DomainId{cluster.fabric.domains[own]++};
  }
  replace_cluster(std::move(cluster));
}

void Changes::operator()(const model::NodeChanged& event) {
  model::Cluster cluster = s_.cluster_.cluster();
  const model::ShapeId shape = cluster.intern_shape(event.shape);
  cluster.nodes[event.node.index()].shape = shape;
  replace_cluster(std::move(cluster));
}

void Changes::operator()(const model::NodeRemoved& event) {
  model::Cluster cluster = s_.cluster_.cluster();
  const model::ShapeId nothing = cluster.intern_shape({});
  cluster.nodes[event.node.index()] = {"", nothing};
  for (std::vector<model::DomainId>& level : cluster.fabric.domain_of) {
    if (!level.empty()) level[event.node.index()] = model::DomainId::none();
  }
  replace_cluster(std::move(cluster));
  (*this)(model::NodeDrained{.node = event.node, .reason = "removed", .drained = true});
}

// What cells are in GPUs follows from the nodes.
void Changes::replace_queues(const std::vector<model::Queue>& queues,
                             const std::vector<std::string>& pools) {
  s_.queues_ =
      with_cell_promises(std::make_shared<const QueueTree>(queues, pools), s_.cluster_.cluster());
}

// The capacity of the pools and what jobs could run on follow from the nodes.
void Changes::replace_cluster(model::Cluster cluster) {
  s_.cluster_.replace_cluster(std::make_shared<const model::Cluster>(std::move(cluster)));
  s_.learn_shapes();
  s_.failed_.resize(s_.cluster_.node_count(), false);
  s_.drained_.resize(s_.cluster_.node_count(), false);
  const std::vector<std::int64_t> before = s_.capacity_;
  std::fill(s_.capacity_.begin(), s_.capacity_.end(), 0);
  for (std::size_t i = 0; i < s_.failed_.size(); ++i) {
    if (!s_.failed_[i]) s_.count_capacity(model::NodeId{i}, 1);
  }
  for (std::size_t p = 0; p < before.size() && mutated(Mutant::kRemovedNodeCounted); ++p) {
    s_.capacity_[p] = std::max(s_.capacity_[p], before[p]);
  }
  const std::vector<model::Queue>& queues = s_.queues_->queues();
  const bool cells = std::any_of(queues.begin(), queues.end(),
                                 [](const model::Queue& one) { return !one.cells.empty(); });
  if (cells) replace_queues(queues, s_.queues_->pools());
  for (JobEntry& job : s_.jobs_) {
    if (!job.spec) continue;
    const std::shared_ptr<JobSpec> spec = make_spec({.id = job.spec->id,
                                                     .job = *job.spec->job,
                                                     .speed_permille = {},
                                                     .planned = job.spec->planned});
    spec->job = job.spec->job;  // elements of an array share it
    job.spec = spec;
  }
  sum_up_jobs();
}

void Changes::operator()(const model::QueueChanged& event) {
  const std::shared_ptr<const QueueTree> before = s_.queues_;
  std::vector<model::Queue> queues = before->queues();
  std::erase_if(queues, [&](const model::Queue& one) { return one.name == event.queue.name; });
  if (!event.removed) queues.push_back(event.queue);
  replace_queues(queues, before->pools());
  renumber_queues(*before);
  sum_up_jobs();
}

// What is held and was used moves with the queue's name. A queue that goes has no jobs.
void Changes::renumber_queues(const QueueTree& before) {
  const QueueTree& now = *s_.queues_;
  std::vector<QueueId> to;
  for (std::size_t q = 0; q < before.size(); ++q) to.push_back(now.find(before[QueueId{q}].name));
  const std::size_t pools = now.pools().size();
  std::vector<std::vector<JobSlot>> waiting(now.size());
  std::vector<std::int64_t> held(now.size() * pools, 0);
  std::vector<std::int64_t> firm = held;
  std::vector<Usage> usage(held.size(), Usage(s_.now_, 0));
  for (std::size_t q = 0; q < to.size(); ++q) {
    if (!to[q].valid()) continue;
    waiting[to[q].index()] = std::move(s_.waiting_[q]);
    for (std::size_t p = 0; p < pools; ++p) {
      const std::size_t i = to[q].index() * pools + p;
      if (!mutated(Mutant::kQueueForgetsHeld)) held[i] = s_.held_[q * pools + p];
      firm[i] = s_.firm_[q * pools + p];
      usage[i] = s_.usage_[q * pools + p];
    }
  }
  s_.waiting_ = std::move(waiting);
  s_.held_ = std::move(held);
  s_.firm_ = std::move(firm);
  s_.usage_ = std::move(usage);
  for (JobEntry& job : s_.jobs_) {
    if (!job.spec) continue;
    auto spec = std::make_shared<JobSpec>(*job.spec);
    spec->queue = to[spec->queue.index()];
    job.spec = std::move(spec);
  }
  for (Window& window : s_.windows_) {
    if (window.queue.valid()) window.queue = to[window.queue.index()];
  }
}

// What waiting jobs want and users have, from the jobs.
void Changes::sum_up_jobs() {
  s_.wanted_.assign(s_.held_.size(), 0);
  s_.user_totals_.clear();
  for (const JobEntry& job : s_.jobs_) {
    if (!job.spec) continue;
    const bool holds = job.status == JobStatus::kRunning || job.status == JobStatus::kStopping;
    State::UserTotals& user = s_.totals_of(*job.spec);
    ++(holds ? user.running : user.waiting);
    if (holds && job.pool != s_.cpu_pool()) user.gpu_milli += job.charged;
    if (job.status == JobStatus::kWaiting) want(job, 1);
  }
}

// The GPU is in a state that nobody knows: its jobs are lost there, and no other comes.
void Changes::operator()(const model::RepartitionFailed& event) {
  if (!mutated(Mutant::kCutLosesNothing)) lose_tasks(event.layout.node, 1u << event.layout.gpu);
  (*this)(model::NodeDrained{.node = event.layout.node, .reason = event.reason, .drained = true});
}

}  // namespace headroom::schedule
