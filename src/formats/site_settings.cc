#include "formats/site_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "formats/cluster_check.h"
#include "formats/cluster_codec.h"
#include "formats/message.h"
#include "formats/names.h"
#include "formats/node_names.h"
#include "formats/quantity.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Result;
using model::PoolSpec;
using model::Site;

namespace {

constexpr std::int64_t kMostValues = 10'000;
constexpr std::size_t kMostDigits = 9;  // of a number in a node's name

// Lists whose items have names, and the key of the name.
const char* name_key(std::string_view list) { return list == "nodes" ? "pool" : "name"; }

std::vector<std::string> gpu_pools(const Site& site) {
  std::vector<std::string> pools;
  for (const PoolSpec& pool : site.nodes) {
    if (pool.gpu) pools.push_back(pool.pool);
  }
  return pools;
}

// The first part of a path, up to a dot; and takes it off.
std::string take_part(std::string_view& path) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  std::string part(path.substr(0, dot));
  path.remove_prefix(std::min(dot + 1, path.size()));
  return part;
}

// The item whose name the path begins with (names may have dots: the longest), taken off the path.
Result<Value*> take_item(Value& list, const std::string& key, std::string_view& path) {
  const std::string what = key == "nodes" ? "pool" : key == "queues" ? "queue" : key;
  std::vector<std::string> names;
  Value* found = nullptr;
  std::size_t length = 0;
  for (Value& item : list.items) {
    const std::string& name = item.find(name_key(key))->text;
    names.push_back(name);
    const bool begins =
        path.starts_with(name) && (path.size() == name.size() || path[name.size()] == '.');
    if (!begins || (found != nullptr && name.size() < length)) continue;
    found = &item;
    length = name.size();
  }
  if (found == nullptr) {
    const std::string part(path.substr(0, path.find('.')));
    return base::fail(fmt::format("there is no {} {}{}", what, shown(part), hint(part, names)));
  }
  path.remove_prefix(std::min(length + 1, path.size()));
  return found;
}

// The value under a key of a map; a new one where there is none.
Value& member(Value& map, const std::string& key) {
  if (map.find(key) == nullptr) map.set(key, Value{});
  const auto at = std::find(map.keys.begin(), map.keys.end(), key);
  return map.items[static_cast<std::size_t>(at - map.keys.begin())];
}

// The short forms in full: nodes=50 is nodes.POOL.count=50.
Result<std::string> full_path(const Site& site, const std::string& key) {
  const std::vector<std::string> pools = gpu_pools(site);
  if (key == "nodes") {
    return fmt::format("nodes.{}.count", pools.empty() ? site.nodes.front().pool : pools.front());
  }
  for (const PoolSpec& pool : site.nodes) {
    if (key == "nodes." + pool.pool) return key + ".count";
  }
  const bool amounts = key.ends_with(".guarantee") || key.ends_with(".limit");
  if (!key.starts_with("queues.") || !amounts) return key;
  if (pools.size() == 1) return key + "." + pools.front();
  return base::fail(pools.empty()
                        ? fmt::format("there is no pool with GPUs; name one: {}.POOL", key)
                        : fmt::format("there are several pools: {}.{}", key, pools.front()));
}

Result<void> set_value(const Site& site, Value& document, const Setting& setting) {
  const Result<std::string> full = full_path(site, setting.key);
  if (!full) return tl::unexpected(full.error());
  std::string_view path = *full;
  Value* at = &document;
  std::string key = take_part(path);
  while (true) {
    if (key.empty()) return base::fail("a part of the key is empty");
    const bool list = at == &document && (key == "nodes" || key == "queues" || key == "storage" ||
                                          key == "reservations" || key == "maintenance");
    at = &member(*at, key);
    if (list) {
      if (path.empty()) return base::fail(fmt::format("name one of them: {}.NAME.KEY", key));
      Result<Value*> item = take_item(*at, key, path);
      if (!item) return tl::unexpected(item.error());
      at = *item;
      if (path.empty()) return base::fail("name the key of it that is to change");
    } else if (path.empty()) {
      *at = Value::plain(setting.value);
      return {};
    } else if (at->kind == Value::Kind::kNull) {
      *at = Value::map();
    } else if (!at->is_map()) {
      return base::fail(fmt::format("{} has no parts", key));
    }
    key = take_part(path);
  }
}

// `h032` -> `h033`, `h034`, …
Result<void> add_names(std::vector<std::string>& names, std::size_t count) {
  constexpr std::string_view kDigits = "0123456789";
  const std::string last = names.back();
  const std::size_t end = last.find_last_of(kDigits) + 1;
  const std::size_t begin = last.find_last_not_of(kDigits, end == 0 ? 0 : end - 1) + 1;
  if (end == 0 || end - begin > kMostDigits) {
    return base::fail(
        fmt::format("no node can be named behind {}: set the pool's name, too", shown(last)));
  }
  std::int64_t number = std::stoll(last.substr(begin, end - begin));
  const std::string before = last.substr(0, begin);
  const std::string after = last.substr(end);
  while (names.size() < count) {
    names.push_back(fmt::format("{}{:0{}}{}", before, ++number, end - begin, after));
  }
  return {};
}

// Names of nodes follow a changed count.
Result<void> fit_names(PoolSpec& pool) {
  if (pool.name.empty()) return {};
  Result<std::vector<std::string>> names = expand_names(pool.name);
  const auto count = static_cast<std::size_t>(pool.count);
  if (!names || names->size() == count) return {};
  if (names->size() > count) {
    names->resize(count);
  } else if (Result<void> added = add_names(*names, count); !added) {
    return added;
  }
  pool.name = compress_names(*names);
  return {};
}

// Windows keep the nodes that are there; those without any go.
void fit_windows(const std::set<std::string>& nodes, std::vector<model::WindowSpec>& windows) {
  std::erase_if(windows, [&](model::WindowSpec& window) {
    Result<std::vector<std::string>> names = expand_names(window.nodes);
    if (!names) return false;
    const auto gone =
        std::erase_if(*names, [&](const auto& name) { return !nodes.contains(name); });
    if (gone > 0) window.nodes = compress_names(*names);
    return names->empty();
  });
}

Result<void> fit(Site& site) {
  std::set<std::string> nodes;
  for (PoolSpec& pool : site.nodes) {
    if (Result<void> done = fit_names(pool); !done) return done;
    for (std::string& name : node_names_of(pool)) nodes.insert(std::move(name));
  }
  fit_windows(nodes, site.reservations);
  fit_windows(nodes, site.maintenance);
  return {};
}

Result<Site> read_again(const Value& document, const std::string& name, const Known& known) {
  Problems problems(name);
  Context context(problems, known);
  Site site;
  site_codec().read(document, context, site);
  if (problems.empty()) {
    if (Result<void> done = fit(site); !done) {
      return base::fail(fmt::format("{}: {}", name, done.error().message));
    }
    check_site(site, document, context);
    check_queues(site, document, context);
  }
  if (problems.empty()) return site;
  const std::string all = problems.error().value().message;
  return base::fail(all.substr(0, all.find('\n')));
}

}  // namespace

Result<Setting> parse_setting(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return base::fail(fmt::format("{} is not KEY=VALUE, as in nodes=50", shown(text)));
  }
  return Setting{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Result<std::vector<std::string>> parse_sweep_values(std::string_view text) {
  const std::size_t colon = text.find(':');
  const Result<Range> range = parse_range(text.substr(0, colon));
  std::vector<std::string> values;
  if (range) {
    const auto step = colon == std::string_view::npos
                          ? Result<std::int64_t>{1}
                          : parse_integer(text.substr(colon + 1), 1, kMostValues);
    if (!step) return base::fail(fmt::format("step: {}", step.error().message));
    if ((range->last - range->first) / *step >= kMostValues) {
      return base::fail(fmt::format("{} stands for more than {} values", shown(text), kMostValues));
    }
    for (std::int64_t value = range->first; value <= range->last; value += *step) {
      values.push_back(std::to_string(value));
    }
    return values;
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    values.emplace_back(text.substr(at, comma - at));
    if (values.back().empty()) {
      return base::fail(fmt::format("{} is not A-B, A-B:STEP or a list A,B,C", shown(text)));
    }
    at = comma + 1;
  }
  return values;
}

Result<Site> with_settings(const Site& site, const std::vector<Setting>& settings,
                           const Known& known) {
  if (settings.empty()) return site;
  Value document = site_codec().write(site);
  std::string all;
  for (const Setting& setting : settings) {
    const std::string name = fmt::format("{}={}", setting.key, setting.value);
    if (Result<void> done = set_value(site, document, setting); !done) {
      return base::fail(fmt::format("{}: {}", name, done.error().message));
    }
    all += (all.empty() ? "" : " ") + name;
  }
  return read_again(document, all, known);
}

}  // namespace headroom::formats
