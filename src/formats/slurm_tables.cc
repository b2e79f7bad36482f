// Tables and JSON of slurm_facts.h.
#include <fmt/format.h>

#include <algorithm>

#include "formats/json_parser.h"
#include "formats/message.h"
#include "formats/node_names.h"
#include "formats/quantity.h"
#include "formats/sacct_text.h"
#include "formats/slurm_facts.h"
#include "formats/slurm_json.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Result;

namespace {

constexpr std::int64_t kMost = 1'000'000'000;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// One table; calls the function for each row.
template <class OnRow>
Result<void> each_row(SacctText& rows, const OnRow& on_row) {
  while (true) {
    const Result<bool> more = rows.next();
    if (!more) return tl::unexpected(more.error());
    if (!*more) return {};
    if (Result<void> done = on_row(); !done) return done;
  }
}

// The number in a field: `otherwise` where there is none, as for shares that are those of a parent.
std::int64_t number(std::string_view field, std::int64_t otherwise) {
  return parse_integer(trimmed(field), 0, kMost).value_or(otherwise);
}

// sacctmgr show assoc (Share) and sshare (RawShares): rows of accounts, and of users below them.
// The tree is in a column of parents, or in how far the names are indented.
Result<void> add_accounts(SacctText& rows, SlurmFacts& facts) {
  const int account = rows.find("Account");
  const int user = rows.find("User");
  const int cluster = rows.find("Cluster");
  const int parent = std::max({rows.find("ParentName"), rows.find("Par Name")});
  const int shares = std::max(rows.find("Share"), rows.find("RawShares"));
  const int limit = rows.find("GrpTRES");
  const int running = rows.find("MaxJobs");
  const int submitted = std::max(rows.find("MaxSubmit"), rows.find("MaxSubmitJobs"));
  std::vector<std::pair<std::size_t, std::string>> above;  // (indentation, name)
  return each_row(rows, [&]() -> Result<void> {
    const std::string_view field = rows.field(account);
    const std::string name = clean_name(trimmed(field), "");
    if (name.empty()) return {};
    if (const auto where = trimmed(rows.field(cluster)); !where.empty()) {
      if (facts.cluster.empty()) facts.cluster = where;
      if (facts.cluster != where) {
        return base::fail(fmt::format("{}: Cluster: {} is a second cluster (first {})",
                                      rows.place(), shown(where), shown(facts.cluster)));
      }
    }
    if (!trimmed(rows.field(user)).empty()) return {};
    const std::size_t depth = std::min(field.find_first_not_of(' '), field.size());
    while (!above.empty() && above.back().first >= depth) above.pop_back();
    const std::string parent_name = parent >= 0 ? clean_name(trimmed(rows.field(parent)), "")
                                                : (above.empty() ? "" : above.back().second);
    above.emplace_back(depth, name);
    if (name == "root") return {};
    SlurmAccount& one = facts.account(name);
    if (!parent_name.empty() && parent_name != "root") one.parent = parent_name;
    if (shares >= 0) one.shares = number(rows.field(shares), one.shares);
    if (running >= 0) one.user_running = number(rows.field(running), one.user_running);
    if (submitted >= 0) one.user_submitted = number(rows.field(submitted), one.user_submitted);
    if (limit < 0 || is_nothing(trimmed(rows.field(limit)))) return {};
    const Result<Tres> tres = parse_tres(trimmed(rows.field(limit)));
    if (!tres) {
      return base::fail(fmt::format("{}: GrpTRES: {}", rows.place(), tres.error().message));
    }
    one.limit = *tres;
    return {};
  });
}

// sinfo with NODELIST or HOSTNAMES, CPUS, MEMORY and GRES: a row for each node, or several equal.
Result<void> add_sinfo(SacctText& rows, SlurmFacts& facts) {
  const int list = rows.find("HOSTNAMES") >= 0 ? rows.find("HOSTNAMES") : rows.find("NODELIST");
  const int cpus = rows.find("CPUS");
  const int memory = rows.find("MEMORY");
  const int gres = rows.find("GRES");
  const int partition = rows.find("PARTITION");
  return each_row(rows, [&]() -> Result<void> {
    const auto bad = [&](const char* column, const base::Error& error) {
      return base::fail(fmt::format("{}: {}: {}", rows.place(), column, error.message));
    };
    const auto names = expand_slurm_names(trimmed(rows.field(list)));
    if (!names) return bad("NODELIST", names.error());
    const auto gpus = parse_gres(trimmed(rows.field(gres)));
    if (!gpus) return bad("GRES", gpus.error());
    for (const std::string& name : *names) {
      SlurmNode& node = facts.node(name);
      node.cpus = number(rows.field(cpus), node.cpus);
      node.memory = base::mebibytes(number(rows.field(memory), node.memory.value() >> 20));
      if (!gpus->empty()) node.gpus = *gpus;
    }
    std::string_view name = trimmed(rows.field(partition));
    if (name.ends_with('*')) name.remove_suffix(1);  // the default one
    facts.partition(name);
    return {};
  });
}

Result<void> add_qos(SacctText& rows, SlurmFacts& facts) {
  const int name = rows.find("Name");
  const int priority = rows.find("Priority");
  return each_row(rows, [&]() -> Result<void> {
    facts.qos.push_back(clean_name(trimmed(rows.field(name)), ""));
    facts.qos_priority[facts.qos.back()] = number(rows.field(priority), 0);
    return {};
  });
}

Result<void> add_json_node(const std::string& file, const Value& value, SlurmFacts& facts) {
  const auto bad = [&](const char* key, std::string_view what) {
    return base::fail(fmt::format("{}:{}: {}: {}", file, value.line, key, what));
  };
  const std::string name = slurm_text(value.find("name"));
  if (name.empty()) return bad("name", "it is missing");
  const auto gpus = parse_gres(slurm_text(value.find("gres")));
  if (!gpus) return bad("gres", gpus.error().message);
  const std::string cluster = slurm_text(value.find("cluster_name"));
  if (facts.cluster.empty()) facts.cluster = cluster;
  if (const Value* const list = value.find("partitions"); list != nullptr) {
    for (const Value& one : list->items) facts.partition(slurm_text(&one));
  }
  SlurmNode& node = facts.node(name);
  node.cpus = std::clamp<std::int64_t>(slurm_number(value.find("cpus")), 0, kMost);
  node.memory = base::mebibytes(
      std::clamp<std::int64_t>(slurm_number(value.find("real_memory")), 0, std::int64_t{1} << 40));
  node.gpus = *gpus;
  return {};
}

}  // namespace

Result<void> add_slurm_table(const std::string& name, const std::string& text, SlurmFacts& facts) {
  Result<SacctText> rows = SacctText::open(name, text);
  if (!rows) return tl::unexpected(rows.error());
  const auto has = [&](const char* column) { return rows->find(column) >= 0; };
  if (has("Account") && (has("Share") || has("RawShares"))) return add_accounts(*rows, facts);
  if ((has("HOSTNAMES") || has("NODELIST")) && has("CPUS")) return add_sinfo(*rows, facts);
  if (has("Name") && has("GraceTime")) return add_qos(*rows, facts);
  return base::fail(name +
                    ":1: the columns are not those of sshare -P, sacctmgr -P show assoc or qos, or "
                    "sinfo with NODELIST, CPUS, MEMORY and GRES");
}

Result<void> add_slurm_json(const std::string& name, const std::string& text, SlurmFacts& facts) {
  const Result<Value> tree = parse_json(name, text);
  if (!tree) return tl::unexpected(tree.error());
  bool is_seen = false;
  const auto each = [&](const char* key, const auto& on_item) -> Result<void> {
    const Value* const list = tree->find(key);
    if (list == nullptr || !list->is_list()) return {};
    is_seen = true;
    for (const Value& item : list->items) {
      if (Result<void> done = on_item(item); !done) return done;
    }
    return {};
  };
  Result<void> done =
      each("nodes", [&](const Value& item) { return add_json_node(name, item, facts); });
  if (done) {
    done = each("partitions", [&](const Value& item) -> Result<void> {
      facts.partition(slurm_text(item.find("name")));
      return {};
    });
  }
  if (done) {
    done = each("qos", [&](const Value& item) -> Result<void> {
      facts.qos.push_back(clean_name(slurm_text(item.find("name")), ""));
      facts.qos_priority[facts.qos.back()] =
          std::max<std::int64_t>(slurm_number(item.find("priority")), 0);
      return {};
    });
  }
  if (!done || is_seen) return done;
  return base::fail(name + ":1: there are no nodes, partitions or qos in it");
}

}  // namespace headroom::formats
