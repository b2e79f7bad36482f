#include "formats/cluster_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "formats/message.h"
#include "formats/names.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Result;
using model::PoolSpec;
using model::Product;
using model::Site;

namespace {

using NameSet = std::unordered_set<std::string>;

// The i-th item of the list under `key`; the document itself when there is none.
const Value& item_of(const Value& document, const char* key, std::size_t i) {
  const Value* const list = document.find(key);
  return list != nullptr && i < list->items.size() ? list->items[i] : document;
}

void check_mig(const Product& product, const Value& value, Context& context) {
  if (product.gpu.mig_slices > 0) return;
  const char* const why = product.unplaceable_profiles.empty()
                              ? "{} has no MIG"
                              : "the MIG placement table of {} is not known";
  context.problem_in(value, ".mig", fmt::format(fmt::runtime(why), product.gpu.name));
}

template <class T, class GetName>
void check_unique(const std::vector<T>& items, const Value& document, const char* key,
                  const GetName& get_name, Context& context) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (seen.insert(get_name(items[i])).second) continue;
    context.problem_in(item_of(document, key, i), fmt::format(".{}[{}]", key, i),
                       fmt::format("the name {} is there twice", shown(get_name(items[i]))));
  }
}

// Adds the names of all nodes to `all`.
void check_nodes(const Site& site, const Value& document, Context& context, NameSet& all) {
  constexpr std::int64_t kMostNodes = 1'000'000;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < site.nodes.size(); ++i) {
    const PoolSpec& pool = site.nodes[i];
    const Value& value = item_of(document, "nodes", i);
    const Context::Inside inside(context, fmt::format(".nodes[{}]", i));
    if (pool.gpu && pool.pool == model::kCpuPool) {
      context.problem_in(value, ".pool",
                         fmt::format("the pool {} is what jobs without GPUs use; a pool with GPUs "
                                     "has another name",
                                     pool.pool));
    }
    total += pool.count;
    if (total > kMostNodes) {
      return context.problem_in(value, ".count", fmt::format("more than {} nodes", kMostNodes));
    }
    const std::vector<std::string> names = node_names_of(pool);
    if (static_cast<std::int64_t>(names.size()) != pool.count) {
      context.problem_in(value, ".name",
                         fmt::format("{} stands for {} names, but there are {} nodes",
                                     shown(pool.name), names.size(), pool.count));
    }
    for (const std::string& name : names) {
      if (all.insert(name).second) continue;
      context.problem_in(value, ".name", fmt::format("a node {} is there already", shown(name)));
      break;
    }
  }
}

void check_windows(const std::vector<model::WindowSpec>& windows, const Site& site,
                   const Value& document, const char* key, const NameSet& nodes, Context& context) {
  std::vector<std::string> queues;
  for (const model::Queue& queue : site.queues) queues.push_back(queue.name);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const model::WindowSpec& window = windows[i];
    const Value& value = item_of(document, key, i);
    const Context::Inside inside(context, fmt::format(".{}[{}]", key, i));
    if (window.end <= window.start) context.problem_in(value, ".end", "it is not after the start");
    if (const auto names = expand_names(window.nodes)) {
      const auto unknown = std::find_if_not(
          names->begin(), names->end(), [&](const auto& name) { return nodes.count(name) > 0; });
      if (unknown != names->end()) {
        context.problem_in(value, ".nodes", fmt::format("there is no node {}", shown(*unknown)));
      }
    }
    if (window.queue.empty()) continue;
    if (std::find(queues.begin(), queues.end(), window.queue) == queues.end()) {
      context.problem_in(
          value, ".queue",
          fmt::format("unknown queue {}{}", shown(window.queue), hint(window.queue, queues)));
    }
  }
}

}  // namespace

void check_gpu(model::GpuSpec& gpu, const Value& value, Context& context) {
  if (gpu.model.empty()) return;
  Value at = value;
  if (const Value* const model = value.find("model")) at.line = model->line;
  const Known& known = context.known();
  const bool is_known = !model::matching_names(gpu.model, known.names()).empty();
  if (!is_known && gpu.memory.value() > 0) {
    if (gpu.mig) {
      context.problem_in(at, ".mig", shown(gpu.model) + " is not in the catalogue: no MIG");
    }
    return;
  }
  const Result<std::string> canonical = known.product(gpu.model);
  if (!canonical) {
    const char* const help = is_known ? "" : "; a model of your own needs its memory";
    return context.problem_in(at, ".model", canonical.error().message + help);
  }
  gpu.model = *canonical;
  const Product* const product = known.catalogue->find(*canonical);
  if (product == nullptr) return;
  if (product->gpus_per_node > 0 && gpu.count > product->gpus_per_node) {
    context.problem_in(
        at, ".count",
        fmt::format("{} is not in 1..{}: {} GPUs of an {}-GPU product ({})", gpu.count,
                    product->gpus_per_node, gpu.count, product->gpus_per_node, *canonical));
  }
  if (gpu.mig) check_mig(*product, at, context);
}

std::vector<std::string> node_names_of(const PoolSpec& pool) {
  const std::string pattern =
      pool.name.empty() ? fmt::format("{}-[0001-{:04}]", pool.pool, pool.count) : pool.name;
  Result<std::vector<std::string>> names = expand_names(pattern);
  return names ? std::move(*names) : std::vector<std::string>{};
}

void check_site(const Site& site, const Value& value, Context& context) {
  if (site.nodes.empty()) {
    context.problem_in(*value.find("nodes"), ".nodes", "there are no nodes");
  }
  check_unique(site.nodes, value, "nodes", [](const auto& pool) { return pool.pool; }, context);
  check_unique(site.storage, value, "storage", [](const auto& one) { return one.name; }, context);
  check_unique(
      site.reservations, value, "reservations", [](const auto& one) { return one.name; }, context);
  check_unique(
      site.maintenance, value, "maintenance", [](const auto& one) { return one.name; }, context);
  NameSet nodes;
  check_nodes(site, value, context, nodes);
  check_windows(site.reservations, site, value, "reservations", nodes, context);
  check_windows(site.maintenance, site, value, "maintenance", nodes, context);
}

}  // namespace headroom::formats
