#include "schedule/queue_tree.h"

#include <algorithm>

#include "base/assert.h"
#include "schedule/water_fill.h"

namespace headroom::schedule {

namespace {

constexpr std::int64_t kMilli = 1000;

}  // namespace

QueueTree::QueueTree(const std::vector<model::Queue>& queues, std::vector<std::string> pools)
    : given_(queues), pools_(std::move(pools)) {
  // By name: a parent's name is a prefix, so it is first.
  std::sort(given_.begin(), given_.end(),
            [](const model::Queue& a, const model::Queue& b) { return a.name < b.name; });
  for (const model::Queue& queue : given_) {
    QueueNode node;
    node.name = queue.name;
    node.guarantee.assign(pools_.size(), 0);
    node.limit.assign(pools_.size(), kNoLimit);
    for (const model::PoolAmount& one : queue.guarantee) {
      node.guarantee[find_pool(one.pool).index()] = one.amount * kMilli;
    }
    for (const model::PoolAmount& one : queue.limit) {
      node.limit[find_pool(one.pool).index()] = one.amount * kMilli;
    }
    node.cells = queue.cells;
    node.weight = queue.weight;
    node.priority = queue.priority;
    node.min_runtime = queue.min_runtime;
    node.cooperative_sharing = queue.cooperative_sharing;
    node.user_limits = queue.user_limits;
    const QueueId id{queues_.size()};
    if (const std::string_view parent = model::parent_name(queue.name); parent.empty()) {
      top_.push_back(id);
    } else {
      node.parent = find(parent);
      HEADROOM_ASSERT(node.parent.valid());
      queues_[node.parent.index()].children.push_back(id);
    }
    queues_.push_back(std::move(node));
  }
}

QueueId QueueTree::find(std::string_view name) const {
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (queues_[i].name == name) return QueueId{i};
  }
  return QueueId::none();
}

PoolId QueueTree::find_pool(std::string_view name) const {
  const auto found = std::find(pools_.begin(), pools_.end(), name);
  return found == pools_.end() ? PoolId::none()
                               : PoolId{static_cast<std::size_t>(found - pools_.begin())};
}

std::vector<std::int64_t> QueueTree::promises(PoolId pool, std::int64_t capacity) const {
  std::vector<std::int64_t> promised(queues_.size(), 0);
  const bool any = std::any_of(queues_.begin(), queues_.end(), [&](const QueueNode& queue) {
    return queue.guarantee[pool.index()] > 0;
  });
  if (any) {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      promised[i] = queues_[i].guarantee[pool.index()];
    }
    share_out(top_, pool, capacity, promised);
    return promised;
  }
  std::vector<std::int64_t> weights;
  for (QueueId id : top_) weights.push_back((*this)[id].weight);
  const std::vector<std::int64_t> parts = in_proportion(capacity / kMilli, weights);
  for (std::size_t i = 0; i < top_.size(); ++i) promised[top_[i].index()] = parts[i] * kMilli;
  return promised;
}

// Siblings never get more than their parent has; what is short is short for all of them alike.
void QueueTree::share_out(const std::vector<QueueId>& siblings, PoolId pool, std::int64_t capacity,
                          std::vector<std::int64_t>& promised) const {
  std::int64_t sum = 0;
  std::vector<std::int64_t> wanted;
  for (QueueId id : siblings) {
    wanted.push_back(promised[id.index()]);
    sum += wanted.back();
  }
  if (sum > capacity) {
    const std::vector<std::int64_t> given = in_proportion(capacity, wanted);
    for (std::size_t i = 0; i < siblings.size(); ++i) promised[siblings[i].index()] = given[i];
  }
  for (QueueId id : siblings) {
    if (!(*this)[id].leaf()) share_out((*this)[id].children, pool, promised[id.index()], promised);
  }
}

}  // namespace headroom::schedule
