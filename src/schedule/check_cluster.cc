#include "schedule/check_cluster.h"

#include <algorithm>
#include <string>

#include "schedule/cells.h"

namespace headroom::schedule {

namespace {

using base::fail;
using base::Result;

std::string node_name(const State& state, model::NodeId id) {
  return "node " + state.cluster().cluster().nodes[id.index()].name;
}

Result<void> check_shape(const State& state, const std::string& name,
                         const model::NodeShape& shape) {
  const model::Cluster& cluster = state.cluster().cluster();
  if (shape.gpus < 0 || shape.gpus > model::kMaxGpusPerNode) {
    return fail(name + ": gpus: " + std::to_string(shape.gpus) + " is not in 0.." +
                std::to_string(model::kMaxGpusPerNode));
  }
  if (shape.cpu < base::CpuMilli{0} || shape.memory < base::Bytes{0}) {
    return fail(name + ": cpu and memory are not negative");
  }
  if (!std::is_sorted(shape.labels.begin(), shape.labels.end())) {
    return fail(name + ": labels are sorted by key");
  }
  if (cluster.shapes.size() >= 0xffff)
    return fail(name + ": there are 65535 kinds of nodes already");
  if (shape.gpus == 0) {
    return shape.mig ? Result<void>(fail(name + ": mig: it has no GPUs")) : Result<void>{};
  }
  if (shape.pool == state.queues().pools().back() ||
      !state.queues().find_pool(shape.pool).valid()) {
    return fail(name + ": pool '" + shape.pool + "' is not known; a new pool needs a restart");
  }
  if (!shape.gpu_model.valid() || shape.gpu_model.index() >= cluster.gpu_models.size()) {
    return fail(name + ": its GPU model is not known; a new model needs a restart");
  }
  return {};
}

Result<void> check_idle(const State& state, model::NodeId node) {
  if (const Result<void> ok = check_node(state, node); !ok) return ok;
  const int tasks = state.cluster().node(node).tasks;
  if (tasks == 0) return {};
  return fail(node_name(state, node) + ": " + std::to_string(tasks) +
              " tasks run there; drain it and wait for their end");
}

Result<void> check_layout(const State& state, const model::MigLayout& layout) {
  if (const Result<void> ok = check_node(state, layout.node); !ok) return ok;
  const model::NodeShape& shape = state.cluster().shape(layout.node);
  const std::string name = node_name(state, layout.node);
  if (!shape.mig) return fail(name + ": its GPUs cannot be cut");
  if (layout.gpu >= 0 && layout.gpu < shape.gpus) return {};
  return fail(name + ": gpu " + std::to_string(layout.gpu) + " is not in 0.." +
              std::to_string(shape.gpus - 1));
}

class QueueCheck {
 public:
  QueueCheck(const State& state, const model::Queue& queue)
      : s_(state),
        tree_(state.queues()),
        queue_(queue),
        name_("queue '" + queue.name + "'"),
        now_(tree_.find(queue.name)),
        parent_(model::parent_name(queue.name)) {}

  Result<void> removed() const {
    if (!now_.valid()) return fail(name_ + ": there is no such queue");
    if (!tree_[now_].leaf()) return fail(name_ + ": it has queues below it; remove those first");
    if (tree_.size() == 1) return fail(name_ + ": it is the only queue");
    if (has_jobs(now_)) return fail(name_ + ": it has jobs; a queue is removed when it has none");
    for (const Window& window : s_.windows()) {
      if (window.queue == now_) {
        return fail(name_ + ": reservation " + window.name + " is for it; remove that first");
      }
    }
    return {};
  }

  Result<void> changed() const {
    if (const Result<void> ok = place_in_tree(); !ok) return ok;
    if (const Result<void> ok = numbers(); !ok) return ok;
    if (const Result<void> ok = pools(); !ok) return ok;
    for (std::size_t p = 0; p < tree_.pools().size(); ++p) {
      if (const Result<void> ok = promise(PoolId{p}); !ok) return ok;
    }
    return {};
  }

 private:
  bool has_jobs(QueueId queue) const {
    for (std::size_t i = 0; i < s_.job_slots(); ++i) {
      const JobEntry& job = s_.job(JobSlot{i});
      if (job.spec && job.spec->queue == queue) return true;
    }
    return false;
  }

  Result<void> place_in_tree() const {
    if (queue_.name.empty() || queue_.name.front() == '/' || queue_.name.back() == '/' ||
        queue_.name.find("//") != std::string::npos) {
      return fail(name_ + ": a name is parts joined by '/', as in research/vision");
    }
    if (now_.valid() || parent_.empty()) return {};
    const QueueId parent = tree_.find(parent_);
    if (!parent.valid()) return fail(name_ + ": there is no queue '" + parent_ + "' above it");
    if (tree_[parent].leaf() && has_jobs(parent)) {
      return fail(name_ + ": queue '" + parent_ +
                  "' has jobs; jobs are in queues without others "
                  "below them");
    }
    return {};
  }

  Result<void> numbers() const {
    if (queue_.weight < 1) return fail(name_ + ": weight: it is at least 1");
    if (queue_.min_runtime < base::Duration{0}) return negative("min_runtime");
    const model::UserLimits& user = queue_.user_limits;
    if (user.gpus < -1 || user.running < -1 || user.waiting < -1) return negative("user_limits");
    for (const model::PoolAmount& one : queue_.guarantee) {
      if (one.amount < 0) return negative("guarantee");
    }
    for (const model::PoolAmount& one : queue_.limit) {
      if (one.amount < 0) return negative("limit");
    }
    for (const model::CellGuarantee& one : queue_.cells) {
      if (one.count < 0) return negative("cells");
    }
    return {};
  }
  Result<void> negative(const char* what) const {
    return fail(name_ + ": " + what + ": a number is negative");
  }

  Result<void> pools() const {
    const auto known = [&](const std::string& pool) { return tree_.find_pool(pool).valid(); };
    const auto unknown = [&](const std::string& pool) {
      return fail(name_ + ": there is no pool '" + pool + "'");
    };
    for (const model::PoolAmount& one : queue_.guarantee) {
      if (!known(one.pool)) return unknown(one.pool);
    }
    for (const model::PoolAmount& one : queue_.limit) {
      if (!known(one.pool)) return unknown(one.pool);
    }
    for (const model::CellGuarantee& one : queue_.cells) {
      if (!one.pool.empty() && !known(one.pool)) return unknown(one.pool);
      if (const Result<void> ok = cells(one); !ok) return ok;
    }
    return {};
  }

  // A guarantee in cells may always be lowered, as one in GPUs.
  Result<void> cells(const model::CellGuarantee& cell) const {
    const std::string where = name_ + ": cells: ";
    const std::string& pool = pool_of(cell);
    if (cell.pool.empty() && tree_.pools().size() > 2) {
      return fail(where + "there are several pools; name one");
    }
    if (pool == tree_.pools().back()) return fail(where + "pool '" + pool + "' has no GPUs");
    if (amount_in(queue_.guarantee, pool, 0) > 0) {
      return fail(where + "the guarantee of pool '" + pool + "' is given in GPUs already");
    }
    const std::int64_t there = cell_size(s_.cluster().cluster(), pool, cell.level).domains;
    if (cell.count <= there || cell.count <= cells_before(cell)) return {};
    return fail(where + std::to_string(cell.count) + " is not in 0.." + std::to_string(there) +
                ": pool '" + pool + "' has no more such domains");
  }

  const std::string& pool_of(const model::CellGuarantee& cell) const {
    return cell.pool.empty() ? tree_.pools().front() : cell.pool;
  }

  std::int64_t cells_before(const model::CellGuarantee& cell) const {
    std::int64_t count = 0;
    for (std::size_t i = 0; now_.valid() && i < tree_[now_].cells.size(); ++i) {
      const model::CellGuarantee& one = tree_[now_].cells[i];
      if (pool_of(one) == pool_of(cell) && one.level == cell.level) count += one.count;
    }
    return count;
  }

  // GPUs (cores) that the queue will be guaranteed.
  std::int64_t guaranteed(const std::string& pool) const {
    std::int64_t sum = amount_in(queue_.guarantee, pool, 0);
    for (const model::CellGuarantee& one : queue_.cells) {
      if (pool_of(one) != pool) continue;
      const CellSize size = cell_size(s_.cluster().cluster(), pool, one.level);
      sum += one.count * size.gpu_milli / kDeviceMilli;
    }
    return sum;
  }

  // As the tree will read it: of a pool named twice the last counts.
  static std::int64_t amount_in(const std::vector<model::PoolAmount>& amounts,
                                const std::string& pool, std::int64_t otherwise) {
    for (const model::PoolAmount& one : amounts) {
      if (one.pool == pool) otherwise = one.amount;
    }
    return otherwise;
  }

  std::int64_t promised(const std::vector<QueueId>& queues, PoolId pool) const {
    std::int64_t sum = 0;
    for (const QueueId id : queues) {
      if (id != now_) sum += tree_[id].guarantee[pool.index()] / kDeviceMilli;
    }
    return sum;
  }

  Result<void> promise(PoolId pool) const {
    const std::string& pool_name = tree_.pools()[pool.index()];
    const std::string where = name_ + ": guarantee." + pool_name + ": ";
    const std::int64_t amount = guaranteed(pool_name);
    const std::int64_t limit = amount_in(queue_.limit, pool_name, kNoLimit);
    if (limit < amount) {
      return fail(where + std::to_string(amount) + " is more than the limit of " +
                  std::to_string(limit));
    }
    const std::int64_t before =
        now_.valid() ? tree_[now_].guarantee[pool.index()] / kDeviceMilli : 0;
    if (now_.valid() && amount < before) {
      const std::int64_t below = promised(tree_[now_].children, pool);
      if (below > amount) {
        return fail(where + std::to_string(amount) + " is less than the " + std::to_string(below) +
                    " that the queues below it are guaranteed");
      }
    }
    if (amount <= before) return {};
    const QueueId parent = parent_.empty() ? QueueId::none() : tree_.find(parent_);
    const bool top = !parent.valid();
    const std::int64_t there = top ? s_.full_capacity(pool) / kDeviceMilli
                                   : tree_[parent].guarantee[pool.index()] / kDeviceMilli;
    const std::int64_t others = promised(top ? tree_.top() : tree_[parent].children, pool);
    if (amount <= there && others <= there - amount) return {};
    return fail(where + std::to_string(amount) + " and " + std::to_string(others) +
                " of the queues beside it are more than the " + std::to_string(there) +
                (top ? " that the pool has" : " of queue '" + parent_ + "'"));
  }

  const State& s_;
  const QueueTree& tree_;
  const model::Queue& queue_;
  std::string name_;
  QueueId now_;  // none(): it is new
  std::string parent_;
};

}  // namespace

Result<void> check_node(const State& state, model::NodeId node) {
  const bool there = node.valid() && node.index() < state.cluster().node_count();
  return there && !state.node_removed(node) ? Result<void>{} : fail("there is no such node");
}

Result<void> check_cluster(const State& state, const model::NodeAdded& event) {
  if (event.name.empty()) return fail("a node has a name");
  const std::string name = "node " + event.name;
  const std::vector<model::Node>& nodes = state.cluster().cluster().nodes;
  const bool taken = std::any_of(nodes.begin(), nodes.end(),
                                 [&](const model::Node& node) { return node.name == event.name; });
  if (taken) return fail(name + ": there is a node of that name already");
  return check_shape(state, name, event.shape);
}

Result<void> check_cluster(const State& state, const model::NodeChanged& event) {
  if (const Result<void> ok = check_idle(state, event.node); !ok) return ok;
  return check_shape(state, node_name(state, event.node), event.shape);
}

Result<void> check_cluster(const State& state, const model::NodeRemoved& event) {
  if (const Result<void> ok = check_idle(state, event.node); !ok) return ok;
  // It leaves an empty slot, and that has a shape.
  return check_shape(state, node_name(state, event.node), {});
}

Result<void> check_cluster(const State& state, const model::QueueChanged& event) {
  const QueueCheck check(state, event.queue);
  return event.removed ? check.removed() : check.changed();
}

Result<void> check_cluster(const State& state, const model::RepartitionConfirmed& event) {
  return check_layout(state, event.layout);
}

Result<void> check_cluster(const State& state, const model::RepartitionFailed& event) {
  return check_layout(state, event.layout);
}

}  // namespace headroom::schedule
