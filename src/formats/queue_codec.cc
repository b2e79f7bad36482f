// The keys of a queue in cluster.yaml.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "formats/cluster_codec.h"
#include "formats/codecs.h"
#include "formats/message.h"
#include "formats/quantity.h"

namespace headroom::formats {

using base::Result;
using namespace model;  // NOLINT: this file is a table of the model's members

namespace {

constexpr std::int64_t kMostGpus = 100'000'000;

Value map_of(Value item) {
  return Value::map({{"type", Value::string("object")}, {"additionalProperties", std::move(item)}});
}

// {pool: number, …}
Codec<std::vector<PoolAmount>> pool_amounts() {
  using Amounts = std::vector<PoolAmount>;
  const Codec<std::int64_t> amount = whole_number(0, kMostGpus);
  Codec<Amounts> codec;
  codec.schema = map_of(amount.schema);
  codec.read = [read = amount.read](const Value& value, Context& context, Amounts& into) {
    if (!expect_kind(value, context, Value::Kind::kMap)) return;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const Context::Inside inside(context, "." + value.keys[i]);
      PoolAmount& one = into.emplace_back(PoolAmount{.pool = value.keys[i]});
      read(value.items[i], context, one.amount);
    }
    std::sort(into.begin(), into.end(),
              [](const PoolAmount& a, const PoolAmount& b) { return a.pool < b.pool; });
  };
  codec.write = [write = amount.write](const Amounts& from) {
    Value value = Value::map();
    for (const PoolAmount& one : from) value.set(one.pool, write(one.amount));
    return value;
  };
  return codec;
}

const std::vector<std::pair<std::string, Level>>& cell_levels() {
  static const std::vector<std::pair<std::string, Level>> levels{
      {"node", Level::kNode},
      {"nvlink_domain", Level::kNvlinkDomain},
      {"rack", Level::kRack},
      {"leaf", Level::kLeaf},
      {"pod", Level::kPod}};
  return levels;
}

std::vector<std::string> cell_level_names() {
  std::vector<std::string> names;
  for (const auto& [word, level] : cell_levels()) names.push_back(word);
  return names;
}

// {rack: 2}
void read_cells(const Value& value, Context& context, const std::string& pool,
                std::vector<CellGuarantee>& into) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const Context::Inside inside(context, "." + value.keys[i]);
    const Result<std::size_t> level = parse_choice(value.keys[i], cell_level_names());
    if (!level) {
      context.problem(value.items[i], level.error().message);
      continue;
    }
    CellGuarantee& cell =
        into.emplace_back(CellGuarantee{.pool = pool, .level = cell_levels()[*level].second});
    whole_number(1, kMostGpus).read(value.items[i], context, cell.count);
  }
}

// {rack: 2}, or {pool: {rack: 2}} where there are several pools.
Codec<std::vector<CellGuarantee>> cells_codec() {
  using Cells = std::vector<CellGuarantee>;
  Codec<Cells> codec;
  std::vector<std::pair<std::string, Value>> counts;
  for (const std::string& word : cell_level_names()) {
    counts.emplace_back(word, integer_schema(1, kMostGpus));
  }
  const Value by_level = object_schema(counts, {});
  codec.schema = any_of({by_level, map_of(by_level)});
  codec.read = [](const Value& value, Context& context, Cells& into) {
    if (!expect_kind(value, context, Value::Kind::kMap)) return;
    const auto is_map = [](const Value& item) { return item.is_map(); };
    if (std::none_of(value.items.begin(), value.items.end(), is_map)) {
      read_cells(value, context, "", into);
    } else {
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        const Context::Inside inside(context, "." + value.keys[i]);
        if (value.keys[i].empty()) context.problem(value.items[i], "the pool's name is empty");
        if (!expect_kind(value.items[i], context, Value::Kind::kMap)) continue;
        read_cells(value.items[i], context, value.keys[i], into);
      }
    }
    std::sort(into.begin(), into.end(), [](const CellGuarantee& a, const CellGuarantee& b) {
      return std::tie(a.pool, a.level) < std::tie(b.pool, b.level);
    });
  };
  codec.write = [](const Cells& from) {
    Value value = Value::map();
    for (const CellGuarantee& cell : from) {
      const std::string& word = cell_levels()[static_cast<std::size_t>(cell.level)].first;
      if (cell.pool.empty()) {
        value.set(word, Value::number(cell.count));
      } else {
        const Value* const pool = value.find(cell.pool);
        Value levels = pool == nullptr ? Value::map() : *pool;
        levels.set(word, Value::number(cell.count));
        value.set(cell.pool, std::move(levels));
      }
    }
    return value;
  };
  return codec;
}

Codec<UserLimits> user_limits_codec() {
  const Codec<std::int64_t> number = whole_number(0, kMostGpus);
  return object<UserLimits>({field("gpus", &UserLimits::gpus, number, "that a user may hold"),
                             field("running", &UserLimits::running, number, "jobs of a user"),
                             field("waiting", &UserLimits::waiting, number, "jobs of a user")});
}

// organisation/team/project
Codec<std::string> queue_path() {
  Codec<std::string> codec = text();
  codec.schema = string_schema("^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$");
  codec.read = [](const Value& value, Context& context, std::string& into) {
    if (!expect_kind(value, context, Value::Kind::kScalar)) return;
    into = value.text;
    std::string_view rest = into;
    while (true) {
      const std::size_t slash = rest.find('/');
      Value part = value;
      part.text = rest.substr(0, slash);
      std::string ignored;
      name().read(part, context, ignored);
      if (slash == std::string_view::npos) return;
      rest.remove_prefix(slash + 1);
    }
  };
  return codec;
}

}  // namespace

Codec<Queue> queue_codec() {
  constexpr std::int64_t kMostPriority = 1'000'000;
  return object<Queue>(
      {field("name", &Queue::name, queue_path(), "full path: organisation/team/project").needed(),
       field("guarantee", &Queue::guarantee, pool_amounts(),
             "GPUs of each pool that are always obtainable (of cpu: cores of all nodes)"),
       field("cells", &Queue::cells, cells_codec(),
             "a guarantee in whole domains: {rack: 2}, or {pool: {rack: 2}}"),
       field("limit", &Queue::limit, pool_amounts(), "GPUs of each pool never exceeded"),
       field("weight", &Queue::weight, whole_number(1, 1'000'000),
             "share of what is left beyond guarantees"),
       field("priority", &Queue::priority, whole_number(-kMostPriority, kMostPriority),
             "surplus goes to higher priority first"),
       field("min_runtime", &Queue::min_runtime, duration(),
             "a borrower keeps its resources at least this long"),
       field("sharing", &Queue::cooperative_sharing,
             choice<bool>({{"cooperative", true}, {"isolated", false}}),
             "whether shares of a GPU may run without isolation"),
       field("user_limits", &Queue::user_limits, user_limits_codec(), "of each user")});
}

}  // namespace headroom::formats
