#include "schedule/cells.h"

#include <algorithm>

#include "base/assert.h"

namespace headroom::schedule {

namespace {

using Domain = std::vector<model::NodeId>;

PoolId pool_of(const QueueTree& tree, const model::CellGuarantee& cell) {
  return cell.pool.empty() ? PoolId{0} : tree.find_pool(cell.pool);
}

// The domains of a level that lie in the pool and are as large as the largest of them.
std::vector<Domain> whole_domains(const model::Cluster& cluster, const std::string& pool,
                                  model::Level level) {
  const auto& domain_of = cluster.fabric.domain_of[static_cast<std::size_t>(level)];
  std::vector<Domain> all;
  std::vector<bool> mixed;  // has nodes of other pools
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    std::size_t domain = i;
    if (level != model::Level::kNode) {
      if (i >= domain_of.size() || !domain_of[i].valid()) continue;
      domain = domain_of[i].index();
    }
    if (all.size() <= domain) {
      all.resize(domain + 1);
      mixed.resize(domain + 1, false);
    }
    const model::NodeShape& shape = cluster.shape(model::NodeId{i});
    all[domain].emplace_back(i);
    if (shape.gpus == 0 || shape.pool != pool) mixed[domain] = true;
  }
  std::size_t most = 0;
  for (std::size_t d = 0; d < all.size(); ++d) {
    if (mixed[d]) all[d].clear();
    most = std::max(most, all[d].size());
  }
  std::erase_if(all, [&](const Domain& one) { return one.empty() || one.size() < most; });
  return all;
}

}  // namespace

CellSize cell_size(const model::Cluster& cluster, const std::string& pool, model::Level level) {
  const std::vector<Domain> domains = whole_domains(cluster, pool, level);
  CellSize size{.domains = static_cast<std::int64_t>(domains.size()), .gpu_milli = 0};
  if (domains.empty()) return size;
  for (const model::NodeId node : domains.front()) {
    size.gpu_milli += std::int64_t{kDeviceMilli} * cluster.shape(node).gpus;
  }
  return size;
}

std::shared_ptr<const QueueTree> with_cell_promises(const std::shared_ptr<const QueueTree>& tree,
                                                    const model::Cluster& cluster) {
  std::shared_ptr<QueueTree> changed;
  for (std::size_t q = 0; q < tree->size(); ++q) {
    std::vector<std::int64_t> promised(tree->pools().size(), 0);
    for (const model::CellGuarantee& cell : (*tree)[QueueId{q}].cells) {
      const PoolId pool = pool_of(*tree, cell);
      if (!pool.valid()) continue;
      const CellSize size = cell_size(cluster, tree->pools()[pool.index()], cell.level);
      promised[pool.index()] += cell.count * size.gpu_milli;
    }
    for (std::size_t p = 0; p < promised.size(); ++p) {
      if (promised[p] == 0) continue;
      if (!changed) changed = std::make_shared<QueueTree>(*tree);
      changed->promise(QueueId{q}, PoolId{p}, promised[p]);
    }
  }
  return changed ? changed : tree;
}

Cells::Cells(const State& state, When when) : state_(state) {
  const QueueTree& tree = state.queues();
  for (std::size_t q = 0; q < tree.size(); ++q) {
    for (const model::CellGuarantee& cell : tree[QueueId{q}].cells) {
      const PoolId pool = pool_of(tree, cell);
      if (pool.valid() && cell.count > 0) add_layer(pool, cell.level, when);
    }
  }
  if (!any()) return;
  std::sort(layers_.begin(), layers_.end(), [](const Layer& a, const Layer& b) {
    return a.pool != b.pool ? a.pool < b.pool : a.level > b.level;
  });
  const ClusterState& cluster = state.cluster();
  holders_.resize(cluster.node_count());
  if (when == When::kEmpty) return;
  for (std::size_t i = 0; i < holders_.size(); ++i) {
    for (AllocationId at = cluster.first_allocation(model::NodeId{i}); at.valid();
         at = cluster.next_allocation(at)) {
      const JobSpec& spec = *state.job(state.task(at).job).spec;
      if (!spec.preemptible) holders_[i] = joined(holders_[i], spec.queue);
    }
  }
}

void Cells::add_layer(PoolId pool, model::Level level, When when) {
  const bool known = std::any_of(layers_.begin(), layers_.end(), [&](const Layer& one) {
    return one.pool == pool && one.level == level;
  });
  if (known) return;
  const QueueTree& tree = state_.queues();
  Layer layer{.pool = pool, .level = level, .domains = {}, .nodes = 0, .cells = {}};
  layer.domains = whole_domains(state_.cluster().cluster(), tree.pools()[pool.index()], level);
  if (!layer.domains.empty()) {
    layer.nodes = static_cast<std::int64_t>(layer.domains.front().size());
  }
  std::erase_if(layer.domains, [&](const Domain& one) {
    return when == When::kNow && std::any_of(one.begin(), one.end(), [&](model::NodeId node) {
             return state_.node_failed(node);
           });
  });
  for (std::size_t q = 0; q < tree.size(); ++q) {
    std::int64_t& cells = layer.cells.emplace_back(0);
    for (const model::CellGuarantee& cell : tree[QueueId{q}].cells) {
      if (cell.level == level && pool_of(tree, cell) == pool) cells += cell.count;
    }
  }
  layers_.push_back(std::move(layer));
}

Cells::Holder Cells::joined(Holder holder, QueueId queue) const {
  if (!holder.held) return {true, queue};
  const QueueTree& tree = state_.queues();
  QueueId a = holder.queue;
  QueueId b = queue;
  // Parents have lower ids than their children.
  while (a.valid() && b.valid() && a != b) {
    QueueId& lower = a < b ? b : a;
    lower = tree[lower].parent;
  }
  return {true, a == b ? a : QueueId::none()};
}

Cells::Holder Cells::holder_of(const Domain& domain, const std::vector<Holder>& holders) const {
  Holder all;
  for (const model::NodeId node : domain) {
    const Holder& one = holders[node.index()];
    if (!one.held) continue;
    all = one.queue.valid() ? joined(all, one.queue) : Holder{true, QueueId::none()};
    if (!all.queue.valid()) break;
  }
  return all;
}

// True when one of the queues from `from` upwards, those above `below` left out, has cells there.
bool Cells::has_cells(const Layer& layer, QueueId from, QueueId below) const {
  const QueueTree& tree = state_.queues();
  for (QueueId q = from; q.valid() && q != below; q = tree[q].parent) {
    if (layer.cells[q.index()] > 0) return true;
  }
  return false;
}

std::int64_t Cells::need(const Layer& layer, const std::vector<std::int64_t>& used) const {
  const QueueTree& tree = state_.queues();
  std::vector<std::int64_t> children(tree.size(), 0);
  std::int64_t all = 0;
  for (std::size_t q = tree.size(); q-- > 0;) {
    const std::int64_t own = std::max(layer.cells[q] - used[q], children[q]);
    const QueueId parent = tree[QueueId{q}].parent;
    (parent.valid() ? children[parent.index()] : all) += own;
  }
  return all;
}

std::vector<Cells::Tally> Cells::tally(const std::vector<Holder>& holders) const {
  const QueueTree& tree = state_.queues();
  std::vector<bool> inside(holders.size(), false);  // a domain that is used as a cell
  std::vector<Tally> tallies;
  for (const Layer& layer : layers_) {
    Tally& tally = tallies.emplace_back();
    tally.used.assign(tree.size(), 0);
    for (std::size_t d = 0; d < layer.domains.size(); ++d) {
      const Domain& domain = layer.domains[d];
      const Holder holder = holder_of(domain, holders);
      if (!holder.held && !inside[domain.front().index()]) tally.free.push_back(d);
      if (!holder.held) continue;
      for (QueueId q = holder.queue; q.valid(); q = tree[q].parent) ++tally.used[q.index()];
      if (!has_cells(layer, holder.queue, QueueId::none())) continue;
      for (const model::NodeId node : domain) inside[node.index()] = true;
    }
    tally.left = static_cast<std::int64_t>(tally.free.size());
    tally.need = need(layer, tally.used);
  }
  take_off_higher(tallies);
  return tallies;
}

void Cells::take_off_higher(std::vector<Tally>& tallies) const {
  for (std::size_t low = 0; low < layers_.size(); ++low) {
    for (std::size_t high = 0; high < low; ++high) {
      if (layers_[high].pool != layers_[low].pool || layers_[low].nodes == 0) continue;
      const std::int64_t whole = layers_[high].nodes / layers_[low].nodes;
      // Where the sizes do not divide, a domain may touch one more at each end.
      const std::int64_t touched =
          layers_[high].nodes % layers_[low].nodes == 0 ? whole : whole + 2;
      tallies[low].left -= tallies[high].need * touched;
    }
  }
}

void Cells::hold(std::vector<Holder>& holders, QueueId queue,
                 const model::Placement& placed) const {
  for (const model::TaskPlacement& task : placed) {
    Holder& holder = holders[task.node.index()];
    holder = joined(holder, queue);
  }
}

void Cells::started(QueueId queue, const model::Placement& placed) {
  if (any()) hold(holders_, queue, placed);
}

// A queue that has not all its cells: rather one that is not above `taker`, and the lowest.
QueueId Cells::lacks_cells(const Layer& layer, const Tally& tally, QueueId taker) const {
  const QueueTree& tree = state_.queues();
  std::vector<bool> above(tree.size(), false);
  for (QueueId q = taker; q.valid(); q = tree[q].parent) above[q.index()] = true;
  QueueId found;
  for (std::size_t q = 0; q < tree.size(); ++q) {
    if (layer.cells[q] <= tally.used[q]) continue;
    if (!found.valid() || !above[q] || above[found.index()]) found = QueueId{q};
  }
  HEADROOM_ASSERT(found.valid());  // else nothing would be needed
  return found;
}

QueueId Cells::taken_from(QueueId queue, const model::Placement& placed) const {
  if (!any()) return QueueId::none();
  std::vector<Holder> after = holders_;
  hold(after, queue, placed);
  const std::vector<Tally> now = tally(holders_);
  const std::vector<Tally> then = tally(after);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (then[l].shortage() <= std::max<std::int64_t>(0, now[l].shortage())) continue;
    return lacks_cells(layers_[l], then[l], queue);
  }
  return QueueId::none();
}

// How many free domains a job of this queue may begin to use: those that nobody needs, and the
// cells that it is owed itself.
std::int64_t Cells::may_open(const Layer& layer, const Tally& tally, QueueId queue) const {
  if (tally.need == 0) return static_cast<std::int64_t>(tally.free.size());
  std::vector<std::int64_t> used = tally.used;
  for (QueueId q = queue; q.valid(); q = state_.queues()[q].parent) {
    used[q.index()] += static_cast<std::int64_t>(tally.free.size());
  }
  return std::max<std::int64_t>(0, -tally.shortage()) + tally.need - need(layer, used);
}

std::vector<bool> Cells::closed_to(QueueId queue) const {
  std::vector<bool> closed(holders_.size(), false);
  const std::vector<Tally> tallies = tally(holders_);
  const auto close = [&](const Domain& domain) {
    for (const model::NodeId node : domain) closed[node.index()] = true;
  };
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    std::int64_t open = may_open(layer, tallies[l], queue);
    for (const std::size_t d : tallies[l].free) {
      if (closed[layer.domains[d].front().index()]) continue;  // by a higher level
      if (open-- <= 0) close(layer.domains[d]);
    }
    // A domain that others use would no longer count for them.
    for (const Domain& domain : layer.domains) {
      const Holder holder = holder_of(domain, holders_);
      if (!holder.held || !holder.queue.valid()) continue;
      if (has_cells(layer, holder.queue, joined(holder, queue).queue)) close(domain);
    }
  }
  return closed;
}

}  // namespace headroom::schedule
