#include "formats/slurm_pools.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "formats/known.h"
#include "formats/message.h"
#include "formats/mig_profiles.h"
#include "formats/node_names.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Result;
using model::GpuSpec;
using model::PoolSpec;
using model::Site;

namespace {

constexpr base::Bytes kGuessedMemory = base::gigabytes(80);

// The GPUs of a node: one type. Slurm may tell several, or MIG instances.
SlurmGpus gpus_of(const SlurmNode& node, SlurmFacts& facts) {
  SlurmGpus found;
  for (const SlurmGpus& one : node.gpus) {
    if (looks_like_mig_profile(one.type)) {
      facts.note("MIG instances in Gres are left out: whole GPUs with mig: allowed say the same");
    } else if (found.count == 0 || found.type == one.type) {
      found.type = one.type;
      found.count += one.count;
    } else {
      facts.note(fmt::format("a second type of GPUs in one node ({}) is left out", one.type));
    }
  }
  if (found.count > model::kMaxGpusPerNode) {
    facts.note(fmt::format("nodes with {} GPUs are taken as having {}", found.count,
                           model::kMaxGpusPerNode));
    found.count = model::kMaxGpusPerNode;
  }
  return found;
}

// The product that a site's word for a type most likely is.
GpuSpec gpu_of(const SlurmGpus& gpus, SlurmFacts& facts) {
  const Known known = known_products();
  GpuSpec spec{.model = clean_name(gpus.type, "GPU"), .count = static_cast<int>(gpus.count)};
  std::string word = lower_case(gpus.type);
  for (const std::string_view prefix : {"nvidia_", "nvidia-", "tesla_", "tesla-"}) {
    if (word.starts_with(prefix)) word.erase(0, prefix.size());
  }
  std::replace(word.begin(), word.end(), '_', '-');
  const auto products = known.wish(word);
  if (!products || word.empty()) {
    spec.memory = kGuessedMemory;
    facts.note(
        fmt::format("the GPU type {} is not in the catalogue: correct its memory, which is "
                    "guessed as 80GB",
                    spec.model));
    return spec;
  }
  const auto fits = [&](const std::string& name) {
    const model::Product* const product = known.catalogue->find(name);
    return product->gpus_per_node == 0 || gpus.count <= product->gpus_per_node;
  };
  const auto fitting = std::find_if(products->begin(), products->end(), fits);
  spec.model = fitting == products->end() ? products->front() : *fitting;
  if (products->size() > 1) {
    facts.note(fmt::format("the GPU type {} is taken as {} (could be {})", gpus.type, spec.model,
                           one_of(*products)));
  }
  if (fitting == products->end()) {
    spec.count = known.catalogue->find(spec.model)->gpus_per_node;
    facts.note(
        fmt::format("nodes with {} {} are taken as having {}", gpus.count, gpus.type, spec.count));
  }
  return spec;
}

// Where a node is: by the order of spines and leaves; nodes that no switch names come last.
struct Place {
  std::size_t pod = ~std::size_t{0};
  std::size_t leaf = ~std::size_t{0};
  std::size_t block = ~std::size_t{0};
};

std::map<std::string, Place> places_of(const SlurmFacts& facts) {
  std::map<std::string, std::size_t> parent;  // switch below -> number of the switch above
  for (std::size_t i = 0; i < facts.switches.size(); ++i) {
    for (const std::string& below : facts.switches[i].switches) parent.emplace(below, i);
  }
  std::map<std::string, Place> places;
  for (std::size_t i = 0; i < facts.switches.size(); ++i) {
    const auto above = parent.find(facts.switches[i].name);
    for (const std::string& node : facts.switches[i].nodes) {
      Place& place = places[node];
      place.leaf = i;
      if (above != parent.end()) place.pod = above->second;
    }
  }
  for (std::size_t i = 0; i < facts.blocks.size(); ++i) {
    for (const std::string& node : facts.blocks[i]) places[node].block = i;
  }
  return places;
}

using Sizes = std::map<std::size_t, std::int64_t>;  // domain -> nodes

// The size of most domains; 0: none is known.
std::int64_t common_size(const Sizes& sizes, const std::string& what, SlurmFacts& facts) {
  std::map<std::int64_t, std::int64_t> times;
  for (const auto& [domain, nodes] : sizes) {
    if (domain != ~std::size_t{0}) ++times[nodes];
  }
  if (times.empty()) return 0;
  const auto most = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (times.size() > 1) {
    facts.note(fmt::format("{} have {} to {} nodes: {} is taken for all", what,
                           times.begin()->first, times.rbegin()->first, most->first));
  }
  return most->first;
}

// Hardware that makes a pool.
using Hardware = std::tuple<std::string, std::int64_t, std::int64_t, base::Bytes>;

class PoolMaker {
 public:
  PoolMaker(SlurmFacts& facts, Site& site)
      : facts_(facts), site_(site), places_(places_of(facts)) {}

  void run() {
    std::vector<const SlurmNode*> nodes;
    for (const SlurmNode& node : facts_.nodes) nodes.push_back(&node);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](const SlurmNode* a, const SlurmNode* b) { return order(*a) < order(*b); });
    std::vector<std::pair<Hardware, std::vector<const SlurmNode*>>> pools;
    for (const SlurmNode* node : nodes) {
      const SlurmGpus gpus = gpus_of(*node, facts_);
      const Hardware hardware{gpus.count > 0 ? gpus.type : "", gpus.count,
                              std::max<std::int64_t>(node->cpus, 1), node->memory};
      const auto same = [&](const auto& one) { return one.first == hardware; };
      auto found = std::find_if(pools.begin(), pools.end(), same);
      if (found == pools.end()) found = pools.insert(pools.end(), {hardware, {}});
      found->second.push_back(node);
    }
    for (const auto& [hardware, members] : pools) add_pool(hardware, members);
    const std::int64_t leaf = common_size(leaf_sizes_, "leaf switches", facts_);
    if (leaf > 0) site_.fabric = model::FabricSpec{.leaf_nodes = leaf};
  }

 private:
  std::tuple<std::size_t, std::size_t, std::size_t> order(const SlurmNode& node) const {
    const auto place = places_.find(node.name);
    if (place == places_.end()) return {~std::size_t{0}, ~std::size_t{0}, ~std::size_t{0}};
    return {place->second.pod, place->second.leaf, place->second.block};
  }

  void add_pool(const Hardware& hardware, const std::vector<const SlurmNode*>& members) {
    const auto& [type, gpus, cpus, memory] = hardware;
    PoolSpec pool;
    pool.pool = unused_name(gpus > 0 ? clean_name(lower_case(type), "gpu") : "cpu");
    pool.count = static_cast<std::int64_t>(members.size());
    pool.cpu = base::CpuMilli{cpus * 1000};
    pool.memory = memory;
    if (memory == base::Bytes{}) {
      facts_.note("missing: the memory of nodes (RealMemory); 1 GiB is written");
      pool.memory = base::gibibytes(1);
    }
    if (gpus > 0) pool.gpu = gpu_of({.type = type, .count = gpus}, facts_);
    std::vector<std::string> names;
    Sizes pods;
    Sizes blocks;
    for (const SlurmNode* node : members) {
      names.push_back(node->name);
      if (!node->features.empty()) facts_.note("features of nodes are left out");
      const auto place = places_.find(node->name);
      if (place == places_.end()) continue;
      ++pods[place->second.pod];
      ++blocks[place->second.block];
      ++leaf_sizes_[place->second.leaf];
    }
    pool.name = compress_names(names);
    pool.pod_size = common_size(pods, "pods of " + pool.pool, facts_);
    const std::int64_t block = common_size(blocks, "blocks of " + pool.pool, facts_);
    if (block > 1 && block <= 1000 && gpus > 0) {
      pool.nvlink_domain = block;
      facts_.note("blocks of topology.conf became NVLink domains");
    }
    site_.nodes.push_back(std::move(pool));
  }

  std::string unused_name(const std::string& wish) {
    const int times = ++used_[wish];
    return times == 1 ? wish : fmt::format("{}-{}", wish, times);
  }

  SlurmFacts& facts_;
  Site& site_;
  std::map<std::string, Place> places_;
  Sizes leaf_sizes_;
  std::map<std::string, int> used_;
};

}  // namespace

Result<void> make_pools(SlurmFacts& facts, Site& site) {
  if (facts.nodes.empty()) {
    return base::fail(
        "there are no nodes in it: give slurm.conf, scontrol show node or sinfo --json too");
  }
  // gres.conf without names of nodes tells the type of all GPUs, where it tells only one.
  if (facts.gpus_of_all.size() == 1) {
    for (SlurmNode& node : facts.nodes) {
      for (SlurmGpus& one : node.gpus) {
        if (one.type.empty()) one.type = facts.gpus_of_all[0].type;
      }
    }
  }
  // Slurm's node lists may have names that ours do not allow.
  for (SlurmNode& node : facts.nodes) {
    const std::string clean = clean_name(node.name, "node");
    if (clean != node.name) facts.note("characters of node names are replaced by _");
    node.name = clean;
  }
  PoolMaker(facts, site).run();
  return {};
}

}  // namespace headroom::formats
