// What the queue tree of a cluster.yaml must satisfy.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "formats/cluster_check.h"
#include "formats/message.h"
#include "formats/spelling.h"

namespace headroom::formats {

using model::CellGuarantee;
using model::Level;
using model::PoolAmount;
using model::PoolSpec;
using model::Queue;
using model::Site;

namespace {

// One check of all queues; keeps what several rules need.
class QueueCheck {
 public:
  QueueCheck(const Site& site, const Value& document, Context& context)
      : site_(site), list_(document.find("queues")), context_(context) {
    for (const PoolSpec& pool : site.nodes) pools_.push_back(pool.pool);
    for (const Queue& queue : site.queues) all_.insert(queue.name);
  }

  void run() {
    for (std::size_t i = 0; i < site_.queues.size(); ++i) add(i);
    for (std::size_t i = 0; i < site_.queues.size(); ++i) check_limits(i);
    check_sums();
  }

 private:
  using ByPool = std::map<std::string, std::int64_t>;

  void problem(std::size_t queue, std::string_view part, const std::string& what) {
    const Value nowhere;
    const bool known = list_ != nullptr && queue < list_->items.size();
    context_.problem_in(known ? list_->items[queue] : nowhere,
                        fmt::format(".queues[{}]{}", queue, part), what);
  }

  // Registers a queue: its name, its parent, its guarantees in GPUs.
  void add(std::size_t i) {
    const Queue& queue = site_.queues[i];
    if (!index_.emplace(queue.name, i).second) {
      problem(i, ".name", fmt::format("the queue {} is there twice", shown(queue.name)));
    }
    const std::string parent(model::parent_name(queue.name));
    if (!parent.empty() && all_.count(parent) == 0) {
      const std::string near = nearest(parent, {all_.begin(), all_.end()});
      const std::string help = near.empty() ? "" : " (did you mean " + near + "?)";
      problem(i, ".name", fmt::format("the parent queue {} is not there{}", shown(parent), help));
    }
    ByPool& guaranteed = guaranteed_.emplace_back();
    for (const PoolAmount& one : queue.guarantee) {
      if (counts(i, ".guarantee", one.pool)) guaranteed[one.pool] += one.amount;
    }
    for (const CellGuarantee& cell : queue.cells) add_cells(i, cell, guaranteed);
  }

  const PoolSpec* find_pool(std::size_t queue, std::string_view part, const std::string& pool) {
    for (const PoolSpec& candidate : site_.nodes) {
      if (candidate.pool == pool) return &candidate;
    }
    problem(queue, part, fmt::format("unknown pool {}{}", shown(pool), hint(pool, pools_)));
    return nullptr;
  }

  // Guarantees and limits count the GPUs of a pool, or the cores of all nodes.
  bool counts(std::size_t queue, std::string_view part, const std::string& name) {
    if (name == model::kCpuPool) return true;
    const PoolSpec* const pool = find_pool(queue, part, name);
    if (pool == nullptr) return false;
    if (!pool->gpu) {
      problem(queue, part,
              fmt::format("pool {} has no GPUs; the cores of all nodes are the pool {}",
                          shown(name), model::kCpuPool));
    }
    return pool->gpu.has_value();
  }

  const PoolSpec* only_gpu_pool() const {
    const PoolSpec* found = nullptr;
    for (const PoolSpec& pool : site_.nodes) {
      if (!pool.gpu) continue;
      if (found != nullptr) return nullptr;
      found = &pool;
    }
    return found;
  }

  // Nodes in one domain of the level; 0: not known.
  std::int64_t domain_nodes(const PoolSpec& pool, Level level) const {
    switch (level) {
      case Level::kNode:
        return 1;
      case Level::kNvlinkDomain:
        return pool.nvlink_domain;
      case Level::kRack:
        return pool.rack_size;
      case Level::kLeaf:
        return site_.fabric ? site_.fabric->leaf_nodes : 0;
      case Level::kPod:
        return pool.pod_size;
    }
    return 0;
  }

  void add_cells(std::size_t i, const CellGuarantee& cell, ByPool& guaranteed) {
    const PoolSpec* const pool =
        cell.pool.empty() ? only_gpu_pool() : find_pool(i, ".cells", cell.pool);
    if (pool == nullptr) {
      if (cell.pool.empty()) {
        problem(i, ".cells", "there is not one pool with GPUs: {pool: {rack: 2}}");
      }
      return;
    }
    if (!pool->gpu) {
      return problem(i, ".cells",
                     fmt::format("pool {} has no GPUs; cells are of pools with GPUs", pool->pool));
    }
    if (guaranteed.count(pool->pool) > 0 && !has_cells_.count({i, pool->pool})) {
      return problem(i, ".cells",
                     fmt::format("the guarantee of pool {} is given in GPUs already", pool->pool));
    }
    has_cells_.emplace(std::pair{i, pool->pool}, true);
    const std::int64_t nodes = domain_nodes(*pool, cell.level);
    if (nodes == 0) {
      return problem(i, ".cells",
                     fmt::format("the size of such a domain in pool {} is not given", pool->pool));
    }
    const std::int64_t domains = pool->count / nodes;
    if (cell.count > domains) {
      return problem(i, ".cells",
                     fmt::format("{} is not in 1..{}: pool {} has no more such domains", cell.count,
                                 domains, pool->pool));
    }
    guaranteed[pool->pool] += cell.count * pool->gpu->count * nodes;
  }

  void check_limits(std::size_t i) {
    for (const PoolAmount& limit : site_.queues[i].limit) {
      if (!counts(i, ".limit", limit.pool)) continue;
      const auto guaranteed = guaranteed_[i].find(limit.pool);
      if (guaranteed == guaranteed_[i].end() || guaranteed->second <= limit.amount) continue;
      problem(i, ".limit." + limit.pool,
              fmt::format("{} is less than the guarantee of {}", limit.amount, guaranteed->second));
    }
  }

  // What the children of a queue, or the queues at the top, are guaranteed together must be there.
  void check_sums() {
    std::map<std::pair<std::string, std::string>, std::int64_t> sums;  // by parent and pool
    for (std::size_t i = 0; i < site_.queues.size(); ++i) {
      const std::string parent(model::parent_name(site_.queues[i].name));
      if (!parent.empty() && index_.count(parent) == 0) continue;
      for (const auto& [pool, amount] : guaranteed_[i]) {
        std::int64_t& sum = sums[{parent, pool}];
        const std::int64_t there = parent.empty() ? capacity(pool) : guaranteed_of(parent, pool);
        const bool fitted = sum <= there;
        sum += amount;
        if (!fitted || sum <= there) continue;
        const std::string whose = parent.empty()
                                      ? fmt::format("pool {} has", pool)
                                      : fmt::format("the parent queue {} is guaranteed", parent);
        problem(i, ".guarantee." + pool,
                fmt::format("overcommitted: {} are guaranteed, {} {}", sum, whose, there));
      }
    }
  }

  std::int64_t capacity(const std::string& pool) const {
    std::int64_t sum = 0;
    for (const PoolSpec& one : site_.nodes) {
      if (pool == model::kCpuPool) {
        sum += one.count * (one.cpu.value() / 1000);
      } else if (one.pool == pool) {
        sum += one.count * one.gpu->count;
      }
    }
    return sum;
  }

  std::int64_t guaranteed_of(const std::string& queue, const std::string& pool) const {
    const ByPool& by_pool = guaranteed_[index_.at(queue)];
    const auto found = by_pool.find(pool);
    return found == by_pool.end() ? 0 : found->second;
  }

  const Site& site_;
  const Value* list_;
  Context& context_;
  std::vector<std::string> pools_;
  std::set<std::string> all_;  // names of queues
  std::map<std::string, std::size_t> index_;
  std::vector<ByPool> guaranteed_;  // by queue
  std::map<std::pair<std::size_t, std::string>, bool> has_cells_;
};

}  // namespace

void check_queues(const Site& site, const Value& value, Context& context) {
  QueueCheck(site, value, context).run();
}

}  // namespace headroom::formats
