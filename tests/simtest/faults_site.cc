// What its administrators do to a site: other nodes, other queues.
#include <algorithm>

#include "tests/simtest/faults.h"
#include "tests/simtest/law.h"

namespace headroom::simtest {

namespace {

using MaybeEvent = std::optional<model::Event>;

constexpr std::int64_t kMilli = 1000;

std::string parent_of(const std::string& queue) {
  const std::size_t slash = queue.rfind('/');
  return slash == std::string::npos ? "" : queue.substr(0, slash);
}

// All GPUs of the pool, also of nodes that have failed.
std::int64_t gpus_of_pool(const model::Cluster& cluster, const std::string& pool) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const model::NodeShape& shape = cluster.shape(model::NodeId{i});
    if (shape.pool == pool) sum += shape.gpus;
  }
  return sum;
}

}  // namespace

void Faults::plan_changes(base::Time until) {
  const auto when = [&] { return base::Time{rng_.between(0, until.value())}; };
  for (std::int64_t left = rng_.between(0, 2); left > 0; --left) add_node(when());
  for (std::int64_t left = rng_.between(0, 2); left > 0; --left) serve_node(when(), true);
  for (std::int64_t left = rng_.between(0, 2); left > 0; --left) serve_node(when(), false);
  for (std::int64_t left = rng_.between(0, 2); left > 0; --left) cut_gpu(when());
  for (int left = static_cast<int>(rng_.between(0, 2)); left > 0; --left) add_queue(when(), left);
  for (std::int64_t left = rng_.between(0, 4); left > 0; --left) change_queue(when());
  for (std::int64_t left = rng_.between(0, 2); left > 0; --left) remove_queue(when());
}

// Of a pool and with a GPU model that are there, else as it likes.
model::NodeShape Faults::some_shape() {
  const model::Cluster& cluster = *book_.site().cluster;
  model::NodeShape shape = cluster.shape(some_node());
  while (shape.pool.empty()) shape = cluster.shape(some_node());  // of a removed node
  if (rng_.chance(1, 2)) shape.cpu = base::CpuMilli{1000 * rng_.between(8, 96)};
  if (rng_.chance(1, 2)) shape.memory = base::gibibytes(rng_.between(64, 1024));
  if (shape.gpus > 0 && rng_.chance(1, 3)) shape.gpus = static_cast<int>(rng_.between(1, 8));
  if (rng_.chance(1, 3)) shape.labels.clear();
  return shape;
}

// A new name, or that of a node that was removed.
void Faults::add_node(base::Time when) {
  ++planned_;
  at_(when, [this]() -> MaybeEvent {
    model::NodeAdded event{.name = "new-" + std::to_string(++added_), .shape = some_shape()};
    if (!gone_.empty() && rng_.chance(1, 2)) {
      event.name = gone_.back();
      gone_.pop_back();
    }
    return event;
  });
}

// Drained first; when nothing runs there any more it is removed, or gets other hardware.
void Faults::serve_node(base::Time when, bool remove) {
  ++planned_;
  at_(when, [=, this]() -> MaybeEvent {
    const model::NodeId node = some_node();
    if (book_.removed(node)) return {};
    when_idle(node, when + minutes(1, 60), remove);
    return model::NodeDrained{node, "to be served", true};
  });
}

void Faults::when_idle(model::NodeId node, base::Time when, bool remove) {
  at_(when, [=, this]() -> MaybeEvent {
    if (book_.removed(node)) return {};
    if (book_.rooms()[node].tasks > 0) {
      when_idle(node, when + minutes(1, 60), remove);
      if (book_.drained(node)) return {};
      return model::NodeDrained{node, "to be served", true};
    }
    if (remove) {
      gone_.push_back(book_.site().cluster->nodes[node.index()].name);
      return model::NodeRemoved{node};
    }
    end_drain(node, when + minutes(1, 30));
    const model::NodeShape now = book_.site().cluster->shape(node);
    model::NodeShape shape = some_shape();
    while (shape.pool != now.pool) shape = some_shape();
    return model::NodeChanged{node, shape};
  });
}

void Faults::cut_gpu(base::Time when) {
  ++planned_;
  at_(when, [=, this]() -> MaybeEvent {
    const model::NodeId node = some_node();
    const model::NodeShape& shape = book_.site().cluster->shape(node);
    if (!shape.mig) return {};
    const model::MigLayout layout{
        .node = node, .gpu = static_cast<int>(rng_.below(static_cast<std::uint64_t>(shape.gpus)))};
    if (rng_.chance(1, 3)) return model::RepartitionConfirmed{layout};
    end_drain(node, when + minutes(10, 200));
    return model::RepartitionFailed{layout, "random"};
  });
}

// At the top, or below one that has no jobs.
void Faults::add_queue(base::Time when, int number) {
  at_(when, [=, this]() -> MaybeEvent {
    const auto& queues = book_.site().queues;
    const std::string& parent = queues[rng_.below(queues.size())].name;
    const std::string name = "new" + std::to_string(number);
    const bool below = rng_.chance(1, 2) && !book_.has_jobs(parent);
    model::Queue queue{.name = below ? parent + "/" + name : name, .weight = rng_.between(1, 4)};
    queue.cooperative_sharing = rng_.chance(1, 2);
    if (rng_.chance(1, 2)) queue.user_limits.running = rng_.between(1, 6);
    return model::QueueChanged{queue};
  });
}

void Faults::remove_queue(base::Time when) {
  at_(when, [=, this]() -> MaybeEvent {
    const auto& leaves = book_.site().leaves;
    const std::string name = leaves[rng_.below(leaves.size())];
    const bool kept_for =
        std::any_of(book_.windows().begin(), book_.windows().end(), [&](const auto& one) {
          return !one.second.maintenance && one.second.window.queue == name;
        });
    if (book_.site().queues.size() == 1 || book_.has_jobs(name) || kept_for) return {};
    return model::QueueChanged{.queue = {.name = name}, .removed = true};
  });
}

void Faults::change_queue(base::Time when) {
  at_(when, [=, this]() -> MaybeEvent {
    const auto& queues = book_.site().queues;
    model::Queue queue = queues[rng_.below(queues.size())];
    switch (rng_.below(5)) {
      case 0:
        queue.weight = rng_.between(1, 6);
        queue.priority = rng_.between(-1, 1);
        break;
      case 1:
        queue.user_limits.gpus = rng_.chance(1, 2) ? -1 : rng_.between(4, 32);
        queue.user_limits.running = rng_.chance(1, 2) ? -1 : rng_.between(1, 6);
        break;
      case 2:
        queue.cooperative_sharing = !queue.cooperative_sharing;
        break;
      case 3:
        queue.limit.clear();
        break;
      default:
        change_guarantee(queue);
    }
    return model::QueueChanged{queue};
  });
}

// Of a leaf. Lowered at will; raised by what is left beside it.
void Faults::change_guarantee(model::Queue& queue) {
  const auto& leaves = book_.site().leaves;
  if (std::find(leaves.begin(), leaves.end(), queue.name) == leaves.end()) return;
  if (!queue.cells.empty() && rng_.chance(1, 2)) {
    queue.cells.back().count = rng_.between(0, queue.cells.back().count);
  }
  const Law law(book_);
  const std::string parent = parent_of(queue.name);
  for (model::PoolAmount& one : queue.guarantee) {
    std::int64_t left = parent.empty() ? gpus_of_pool(*book_.site().cluster, one.pool) : 0;
    for (const model::Queue& other : book_.site().queues) {
      const std::int64_t has = law.guaranteed(other, one.pool) / kMilli;
      if (other.name == parent) left += has;
      if (other.name != queue.name && parent_of(other.name) == parent) left -= has;
    }
    one.amount = rng_.between(0, std::max(one.amount, left));
    for (model::PoolAmount& limit : queue.limit) {
      if (limit.pool == one.pool) limit.amount = std::max(limit.amount, one.amount);
    }
  }
}

model::Event Faults::refused_change() {
  const model::NodeId node = some_node();
  const auto& nodes = book_.site().cluster->nodes;
  const auto& queues = book_.site().queues;
  const model::Queue& queue = queues[rng_.below(queues.size())];
  switch (rng_.below(7)) {
    case 0:
      if (book_.rooms()[node].tasks == 0) break;
      if (rng_.chance(1, 2)) return model::NodeRemoved{node};
      return model::NodeChanged{node, some_shape()};
    case 1:
      return model::NodeAdded{nodes[node.index()].name, some_shape()};
    case 2: {
      model::NodeShape shape = some_shape();
      shape.gpus = 8;
      shape.pool = "nowhere";
      return model::NodeAdded{"other", shape};
    }
    case 3:
      if (!book_.has_jobs(queue.name)) break;
      if (rng_.chance(1, 2)) return model::QueueChanged{{.name = queue.name + "/below"}};
      return model::QueueChanged{.queue = queue, .removed = true};
    case 4: {
      model::Queue greedy = queue;
      greedy.cells.clear();
      greedy.limit.clear();
      greedy.guarantee = {{"h100", 1'000}};
      return model::QueueChanged{greedy};
    }
    case 5:
      if (book_.site().cluster->shape(node).mig) break;
      return model::RepartitionFailed{{.node = node, .gpu = 0}, ""};
    default:
      break;
  }
  return model::QueueChanged{{.name = "no/parent"}};
}

}  // namespace headroom::simtest
