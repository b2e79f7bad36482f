#include "formats/slurm_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/message.h"
#include "formats/node_names.h"
#include "formats/quantity.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Result;

namespace {

constexpr std::int64_t kMostCpus = 1'000'000;
constexpr std::int64_t kMostMebibytes = std::int64_t{1} << 40;

tl::unexpected<base::Error> bad(const SlurmRecord& record, std::string_view key,
                                std::string_view what) {
  return base::fail(fmt::format("{}: {}: {}", record.place, key, what));
}

// A number under a key: 0 when it is not there.
Result<std::int64_t> number(const SlurmRecord& record, const char* key, std::int64_t most) {
  const std::string_view text = record.find(key);
  if (text.empty() || is_nothing(text)) return 0;
  const auto value = parse_integer(text, 0, most);
  if (!value) return bad(record, key, value.error().message);
  return value;
}

Result<std::vector<std::string>> names(const SlurmRecord& record, const char* key) {
  auto list = expand_slurm_names(record.find(key));
  if (!list) return bad(record, key, list.error().message);
  return list;
}

// What a NodeName= line or record tells of each of its nodes.
Result<SlurmNode> node_of(const SlurmRecord& record) {
  SlurmNode node;
  for (const char* key : {"CPUs", "CPUTot"}) {
    const auto cpus = number(record, key, kMostCpus);
    if (!cpus) return tl::unexpected(cpus.error());
    node.cpus = std::max(node.cpus, *cpus);
  }
  if (node.cpus == 0) {
    std::int64_t product = 1;
    bool is_told = false;
    for (const char* key : {"Sockets", "CoresPerSocket", "ThreadsPerCore"}) {
      const auto factor = number(record, key, 10'000);
      if (!factor) return tl::unexpected(factor.error());
      is_told = is_told || *factor > 0;
      product *= std::max<std::int64_t>(*factor, 1);
    }
    if (is_told) node.cpus = std::min(product, kMostCpus);
  }
  const auto memory = number(record, "RealMemory", kMostMebibytes);
  if (!memory) return tl::unexpected(memory.error());
  node.memory = base::mebibytes(*memory);
  auto gpus = parse_gres(record.find("Gres"));
  if (!gpus) return bad(record, "Gres", gpus.error().message);
  node.gpus = std::move(*gpus);
  for (const char* key : {"Features", "Feature", "AvailableFeatures"}) {
    if (!is_nothing(record.find(key))) node.features = record.find(key);
  }
  return node;
}

void merge(const SlurmNode& told, SlurmNode& node) {
  if (told.cpus > 0) node.cpus = told.cpus;
  if (told.memory > base::Bytes{}) node.memory = told.memory;
  if (!told.gpus.empty()) node.gpus = told.gpus;
  if (!told.features.empty()) node.features = told.features;
}

class RecordReader {
 public:
  explicit RecordReader(SlurmFacts& facts) : facts_(facts) {}

  Result<void> add(const SlurmRecord& record) {
    const std::string key = lower_case(record.words.front().first);
    if (record.has("Name") && lower_case(record.find("Name")) == "gpu") return add_gres(record);
    if (key == "nodename") return add_node(record);
    if (key == "partitionname") return add_partition(record);
    if (key == "switchname") return add_switch(record);
    if (key == "blockname") return add_block(record);
    for (const auto& [word, value] : record.words) facts_.settings[lower_case(word)] = value;
    return {};
  }

 private:
  Result<void> add_node(const SlurmRecord& record) {
    auto told = node_of(record);
    if (!told) return tl::unexpected(told.error());
    if (lower_case(record.find("NodeName")) == "default") {
      merge(*told, default_);
      return {};
    }
    const auto list = names(record, "NodeName");
    if (!list) return tl::unexpected(list.error());
    for (const std::string& name : *list) {
      SlurmNode& node = facts_.node(name);
      merge(default_, node);
      merge(*told, node);
    }
    for (const std::string_view one : split_outside(record.find("Partitions"), ',')) {
      facts_.partition(one);
    }
    const std::string state = lower_case(record.find("State"));
    if (state.find("future") != std::string::npos || state.find("cloud") != std::string::npos) {
      facts_.note(fmt::format("nodes of the state {} are taken as there", state));
    }
    return {};
  }

  // NodeName=n[1-8] Name=gpu Type=h100 File=/dev/nvidia[0-7], or Count=8.
  Result<void> add_gres(const SlurmRecord& record) {
    SlurmGpus gpus{.type = std::string(record.find("Type"))};
    const auto count = number(record, "Count", 1000);
    if (!count) return tl::unexpected(count.error());
    gpus.count = *count;
    std::string_view file = record.find("File");
    if (gpus.count == 0 && !file.empty()) {
      const auto slash = file.rfind('/');
      const auto files = expand_slurm_names(file.substr(slash == file.npos ? 0 : slash + 1));
      if (!files) return bad(record, "File", files.error().message);
      gpus.count = static_cast<std::int64_t>(files->size());
    }
    if (record.find("NodeName").empty()) {
      facts_.gpus_of_all.push_back(gpus);
      return {};
    }
    const auto list = names(record, "NodeName");
    if (!list) return tl::unexpected(list.error());
    for (const std::string& name : *list) add_gpus(facts_.node(name), gpus);
    return {};
  }

  // gres.conf only adds what slurm.conf left open: the type, or everything.
  static void add_gpus(SlurmNode& node, const SlurmGpus& gpus) {
    for (SlurmGpus& known : node.gpus) {
      if (known.type == gpus.type) return;
      if (known.type.empty()) {
        known.type = gpus.type;
        return;
      }
    }
    if (gpus.count > 0) node.gpus.push_back(gpus);
  }

  Result<void> add_partition(const SlurmRecord& record) {
    const std::string_view name = record.find("PartitionName");
    if (lower_case(name) == "default") return {};
    facts_.partition(name);
    if (!record.has("PriorityJobFactor")) return {};
    const auto factor = number(record, "PriorityJobFactor", 65'533);
    if (!factor) return tl::unexpected(factor.error());
    facts_.partition_factor[clean_name(name, "")] = *factor;
    return {};
  }

  Result<void> add_switch(const SlurmRecord& record) {
    SlurmSwitch one{.name = std::string(record.find("SwitchName"))};
    if (!is_nothing(record.find("Switches"))) {
      auto below = names(record, "Switches");
      if (!below) return tl::unexpected(below.error());
      one.switches = std::move(*below);
    } else {
      auto nodes = names(record, "Nodes");
      if (!nodes) return tl::unexpected(nodes.error());
      one.nodes = std::move(*nodes);
    }
    std::erase_if(facts_.switches, [&](const SlurmSwitch& old) { return old.name == one.name; });
    facts_.switches.push_back(std::move(one));
    return {};
  }

  Result<void> add_block(const SlurmRecord& record) {
    auto nodes = names(record, "Nodes");
    if (!nodes) return tl::unexpected(nodes.error());
    facts_.blocks.push_back(std::move(*nodes));
    return {};
  }

  SlurmFacts& facts_;
  SlurmNode default_;
};

// "ClusterName             = bed": settings, one in a line, with blanks around the sign.
void add_settings(std::string_view text, SlurmFacts& facts) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view key = line.substr(0, equals);
    std::string_view value = line.substr(equals + 1);
    const auto trim = [](std::string_view word) {
      const std::size_t first = word.find_first_not_of(" \t\r");
      if (first == std::string_view::npos) return std::string_view();
      return word.substr(first, word.find_last_not_of(" \t\r") - first + 1);
    };
    key = trim(key);
    value = trim(value);
    if (!is_nothing(value)) facts.settings[lower_case(key)] = value;
  }
}

bool is_known_setting(const std::string& key) {
  for (const char* known : {"clustername", "slurmctldhost", "controlmachine", "selecttype",
                            "schedulertype", "topologyplugin", "grestypes", "prioritytype",
                            "blocksizes", "autodetect", "include", "proctracktype"}) {
    if (key == known) return true;
  }
  return false;
}

}  // namespace

SlurmNode& SlurmFacts::node(const std::string& name) {
  const auto [known, is_new] = node_index.emplace(name, nodes.size());
  if (is_new) nodes.push_back({.name = name});
  return nodes[known->second];
}

SlurmAccount& SlurmFacts::account(const std::string& name) {
  const auto same = [&](const SlurmAccount& one) { return one.name == name; };
  const auto known = std::find_if(accounts.begin(), accounts.end(), same);
  return known != accounts.end() ? *known : accounts.emplace_back(SlurmAccount{.name = name});
}

void SlurmFacts::partition(std::string_view name) {
  std::string clean = clean_name(name, "");
  const bool known = std::find(partitions.begin(), partitions.end(), clean) != partitions.end();
  if (!known && !clean.empty()) partitions.push_back(std::move(clean));
}

void SlurmFacts::note(std::string text) {
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(std::move(text));
}

Result<void> add_slurm_text(const std::string& name, const std::string& text, SlurmFacts& facts) {
  if (text.starts_with('{')) return add_slurm_json(name, text, facts);
  if (text.starts_with("Configuration data as of")) {
    add_settings(text, facts);
    return {};
  }
  const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  if (line.find('|') != std::string_view::npos && line.find('=') == std::string_view::npos) {
    return add_slurm_table(name, text, facts);
  }
  const bool is_printed = text.starts_with("NodeName=") || text.starts_with("PartitionName=");
  const bool has_indented_lines = text.find("\n   ") != std::string::npos;
  const std::vector<SlurmRecord> records = is_printed && has_indented_lines
                                               ? read_scontrol_records(name, text)
                                               : read_conf_records(name, text);
  RecordReader reader(facts);
  bool is_seen = false;
  for (const SlurmRecord& record : records) {
    const std::string key = record.words.empty() ? "" : lower_case(record.words.front().first);
    if (key.empty()) continue;
    is_seen = is_seen || key == "nodename" || key == "partitionname" || key == "switchname" ||
              key == "blockname" || record.has("Name") || is_known_setting(key);
    if (Result<void> done = reader.add(record); !done) return done;
  }
  if (is_seen) return {};
  return base::fail(name +
                    ": it is none of slurm.conf, gres.conf, topology.conf, scontrol show "
                    "node|partition|config|topology, sinfo --json, sshare -P and sacctmgr -P show "
                    "assoc|qos");
}

}  // namespace headroom::formats
