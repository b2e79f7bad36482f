#include "tests/simtest/cells.h"

#include <algorithm>

namespace headroom::simtest {

namespace {

using Queues = std::vector<std::string>;

bool covers(const std::string& queue, const std::string& leaf) {
  return leaf == queue || leaf.starts_with(queue + "/");
}

// Those of the jobs that cannot be preempted and hold something on these nodes.
Queues firm_holders(const Book& book, const Domain& domain) {
  Queues holders;
  for (const BookJob& job : book.jobs()) {
    if (!job.holds() || job.job->is_preemptible()) continue;
    const bool here = std::any_of(job.tasks.begin(), job.tasks.end(), [&](const auto& task) {
      return std::find(domain.begin(), domain.end(), task.node) != domain.end();
    });
    if (here) holders.push_back(job.job->queue);
  }
  return holders;
}

std::int64_t cells_of(const model::Queue& queue, const std::string& pool, model::Level level) {
  std::int64_t count = 0;
  for (const model::CellGuarantee& one : queue.cells) {
    if (one.pool == pool && one.level == level) count += one.count;
  }
  return count;
}

bool child_of(const std::string& queue, const std::string& parent) {
  const std::size_t slash = queue.rfind('/');
  return parent == (slash == std::string::npos ? "" : queue.substr(0, slash));
}

class Layer {
 public:
  Layer(const Book& book, const std::string& pool, model::Level level)
      : book_(book), pool_(pool), level_(level) {
    for (const Domain& domain : whole_domains(*book.site().cluster, pool, level)) {
      const bool healthy = std::none_of(domain.begin(), domain.end(),
                                        [&](model::NodeId node) { return book.failed(node); });
      if (healthy) holders_.push_back(firm_holders(book, domain));
    }
  }

  std::int64_t shortage() const {
    const std::int64_t free = std::count_if(holders_.begin(), holders_.end(),
                                            [](const Queues& one) { return one.empty(); });
    return std::max<std::int64_t>(0, needed_below("") - free);
  }

 private:
  std::int64_t needed_below(const std::string& parent) const {
    std::int64_t sum = 0;
    for (const model::Queue& queue : book_.site().queues) {
      if (!child_of(queue.name, parent)) continue;
      const std::int64_t own = cells_of(queue, pool_, level_) - used(queue.name);
      sum += std::max({own, needed_below(queue.name), std::int64_t{0}});
    }
    return sum;
  }

  // Domains that only jobs of this queue and those below it use.
  std::int64_t used(const std::string& queue) const {
    return std::count_if(holders_.begin(), holders_.end(), [&](const Queues& one) {
      return !one.empty() && std::all_of(one.begin(), one.end(), [&](const std::string& leaf) {
        return covers(queue, leaf);
      });
    });
  }

  const Book& book_;
  const std::string& pool_;
  model::Level level_;
  std::vector<Queues> holders_;  // by domain
};

}  // namespace

std::vector<Domain> whole_domains(const model::Cluster& cluster, const std::string& pool,
                                  model::Level level) {
  std::map<model::DomainId, Domain> all;
  const auto& domain_of = cluster.fabric.domain_of[static_cast<std::size_t>(level)];
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    if (domain_of[i].valid()) all[domain_of[i]].push_back(model::NodeId{i});
  }
  std::vector<Domain> whole;
  std::size_t most = 0;
  for (const auto& [id, domain] : all) {
    const bool inside = std::all_of(domain.begin(), domain.end(), [&](model::NodeId node) {
      return cluster.shape(node).gpus > 0 && cluster.shape(node).pool == pool;
    });
    if (!inside) continue;
    most = std::max(most, domain.size());
    whole.push_back(domain);
  }
  std::erase_if(whole, [&](const Domain& one) { return one.size() < most; });
  return whole;
}

Shortages shortages(const Book& book) {
  std::map<std::string, model::Level> highest;
  for (const model::Queue& queue : book.site().queues) {
    for (const model::CellGuarantee& one : queue.cells) {
      const auto [at, fresh] = highest.try_emplace(one.pool, one.level);
      at->second = std::max(at->second, one.level);
    }
  }
  Shortages found;
  for (const auto& [pool, level] : highest) {
    found[{pool, level}] = Layer(book, pool, level).shortage();
  }
  return found;
}

}  // namespace headroom::simtest
