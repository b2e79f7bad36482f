// The book, of what there is: nodes and queues that come, change and go.
#include <algorithm>

#include "base/assert.h"
#include "tests/simtest/book.h"

namespace headroom::simtest {

namespace {

bool same_gpu(const model::TaskPlacement& task, const model::MigLayout& layout) {
  return task.node == layout.node &&
         std::any_of(task.devices.begin(), task.devices.end(),
                     [&](const model::DeviceUse& use) { return use.gpu == layout.gpu; });
}

// Queues that have none below them.
std::vector<std::string> leaves_of(const std::vector<model::Queue>& queues) {
  std::vector<std::string> leaves;
  for (const model::Queue& one : queues) {
    const bool leaf = std::none_of(queues.begin(), queues.end(), [&](const model::Queue& other) {
      return other.name.starts_with(one.name + "/");
    });
    if (leaf) leaves.push_back(one.name);
  }
  return leaves;
}

}  // namespace

bool Book::has_jobs(const std::string& queue) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const BookJob& job) {
    return job.status != Status::kEnded && job.job->queue == queue;
  });
}

void Book::replace_cluster(model::Cluster cluster, model::NodeId changed) {
  const auto before = site_.cluster;  // the rooms look at it until they have the new one
  site_.cluster = std::make_shared<const model::Cluster>(std::move(cluster));
  rooms_.replace_cluster(*site_.cluster, changed);
  failed_.resize(site_.cluster->nodes.size(), false);
  drained_.resize(site_.cluster->nodes.size(), false);
}

// In no domain but its own.
void Book::read(const model::NodeAdded& event) {
  model::Cluster cluster = *site_.cluster;
  const model::NodeId node{cluster.nodes.size()};
  cluster.nodes.push_back({event.name, cluster.intern_shape(event.shape)});
  for (std::vector<model::DomainId>& level : cluster.fabric.domain_of) {
    level.push_back(model::DomainId::none());
  }
  cluster.fabric.domain_of.front().back() = model::DomainId{cluster.fabric.domains.front()++};
  replace_cluster(std::move(cluster), node);
}

void Book::read(const model::NodeChanged& event) {
  model::Cluster cluster = *site_.cluster;
  cluster.nodes[event.node.index()].shape = cluster.intern_shape(event.shape);
  replace_cluster(std::move(cluster), event.node);
}

void Book::read(const model::NodeRemoved& event) {
  model::Cluster cluster = *site_.cluster;
  cluster.nodes[event.node.index()] = {"", cluster.intern_shape({})};
  for (std::vector<model::DomainId>& level : cluster.fabric.domain_of) {
    level[event.node.index()] = model::DomainId::none();
  }
  replace_cluster(std::move(cluster), event.node);
  drained_[event.node.index()] = true;
}

void Book::read(const model::QueueChanged& event) {
  std::erase_if(site_.queues,
                [&](const model::Queue& one) { return one.name == event.queue.name; });
  if (event.removed) {
    if (has_jobs(event.queue.name)) findings_.add("lost job", "a queue with jobs is removed");
  } else {
    site_.queues.push_back(event.queue);
  }
  site_.leaves = leaves_of(site_.queues);
}

void Book::read(const model::RepartitionFailed& event) {
  lose_tasks([&](const model::TaskPlacement& task) { return same_gpu(task, event.layout); });
  drained_[event.layout.node.index()] = true;
}

}  // namespace headroom::simtest
