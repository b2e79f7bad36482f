// Reads what `headroom simulate` is told.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "cli/pack_input.h"
#include "cli/simulate.h"
#include "formats/build_cluster.h"
#include "formats/build_windows.h"
#include "formats/catalogue.h"
#include "formats/cluster_check.h"
#include "formats/cluster_yaml.h"
#include "formats/file.h"
#include "formats/history.h"
#include "formats/known.h"
#include "formats/load.h"
#include "formats/message.h"
#include "formats/names.h"
#include "formats/outages.h"
#include "formats/quantity.h"
#include "formats/slurm_priority.h"
#include "formats/spelling.h"
#include "schedule/placements.h"
#include "schedule/policies.h"

namespace headroom::cli {

namespace {

using base::Result;
using formats::Setting;

constexpr std::size_t kMostRuns = 10'000;

// Commas part the values of a flag, and those of a sweep as well: what has no `=` belongs to the
// word before it.
std::vector<std::string> rejoined(const std::vector<std::string>& words) {
  std::vector<std::string> whole;
  for (const std::string& word : words) {
    if (whole.empty() || word.find('=') != std::string::npos) {
      whole.push_back(word);
    } else {
      whole.back() += "," + word;
    }
  }
  return whole;
}

Result<std::vector<std::string>> checked_names(const char* flag,
                                               const std::vector<std::string>& asked,
                                               const std::vector<std::string>& default_names,
                                               const std::vector<std::string>& known) {
  if (asked.empty()) return default_names;
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string help = formats::hint(name, known);
    return base::fail(fmt::format("{}: '{}' is not one{}", flag, formats::shown(name),
                                  help.empty() ? " of " + formats::one_of(known) : help));
  }
  return asked;
}

Result<base::Duration> duration_flag(const char* flag, const std::string& text, bool may_be_zero) {
  auto found = formats::parse_duration(text);
  if (!found) return base::fail(fmt::format("{}: {}", flag, found.error().message));
  if (!may_be_zero && *found <= base::Duration{0}) {
    return base::fail(fmt::format("{}: 0 is not above 0", flag));
  }
  return found;
}

std::string left_out(std::int64_t rows) {
  return fmt::format("{} row{} left out", rows, rows == 1 ? "" : "s");
}

// ---- the jobs

Result<model::History> read_jobs(const SimulateOptions& options, const model::Site& site,
                                 const model::Cluster& cluster, std::vector<std::string>& notes) {
  const auto format = formats::parse_history_format(options.format);
  if (!format) return base::fail("--format: " + format.error().message);
  const formats::HistoryOptions how{.strictness = {options.lenient},
                                    .time_zone = options.time_zone,
                                    .cluster = options.cluster,
                                    .own_models = cluster.gpu_models};
  auto history = formats::read_history(options.jobs, *format, how);
  if (!history) return tl::unexpected(history.error());
  const auto silent = std::erase_if(
      history->jobs, [](const model::HistoricJob& one) { return one.run <= base::Duration{0}; });
  if (silent > 0)
    history->leave_out("never ran, or their run time is not known",
                       static_cast<std::int64_t>(silent));
  for (const model::LeftOut& one : history->left_out) {
    notes.push_back(left_out(one.rows) + ": " + one.reason);
  }
  if (history->jobs.empty()) return base::fail(options.jobs + ": no job in it can be replayed");
  model::match_queues(*history, site.queues);
  return history;
}

// Whether there is a queue below this one.
bool is_inner(const std::set<std::string>& queues, const std::string& name) {
  const auto below = queues.lower_bound(name + "/");
  return below != queues.end() && below->starts_with(name + "/");
}

// "a, b, c and 12 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::ptrdiff_t kMostNamed = 3;
  const auto named = std::min(std::ssize(names), kMostNamed);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + named, ", "));
  if (std::ssize(names) > named) text += fmt::format(" and {} more", std::ssize(names) - named);
  return text;
}

// Every job gets a queue that jobs may enter: `default` where it names none, the queue `direct`
// below one that has queues of its own. Those that the site does not have are added, and those
// above them.
void settle_queues(model::History& jobs, model::Site& site, std::vector<std::string>& notes) {
  std::set<std::string> queues;
  for (const model::Queue& one : site.queues) queues.insert(one.name);
  std::vector<std::string> added;
  const auto add = [&](const std::string& name) {
    if (queues.insert(name).second) added.push_back(name);
  };
  for (model::HistoricJob& one : jobs.jobs) {
    std::string& name = one.job.queue;
    if (name.empty()) name = "default";
    for (std::size_t slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      add(name.substr(0, slash));
    }
    add(name);
  }
  for (model::HistoricJob& one : jobs.jobs) {
    if (!is_inner(queues, one.job.queue)) continue;
    one.job.queue += "/direct";
    add(one.job.queue);
  }
  std::sort(added.begin(), added.end());
  for (const std::string& name : added) site.queues.push_back({.name = name});
  if (!added.empty()) {
    notes.push_back("queues that the site does not have are added, with weight 1: " +
                    some_of(added));
  }
}

// ---- the cluster

Result<model::Site> read_site(const SimulateOptions& options) {
  const auto text = formats::read_any_file(options.site);
  if (!text) return tl::unexpected(text.error());
  return formats::read_cluster_yaml(options.site, *text, formats::known_products());
}

Result<std::vector<formats::NodeOutage>> read_faults(const SimulateOptions& options,
                                                     const model::Site& site,
                                                     std::vector<std::string>& notes) {
  if (options.faults.empty()) return std::vector<formats::NodeOutage>{};
  const auto text = formats::read_file(options.faults, formats::kLargestCsv);
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string> nodes;
  for (const model::PoolSpec& pool : site.nodes) {
    for (std::string& name : formats::node_names_of(pool)) nodes.push_back(std::move(name));
  }
  auto rows = formats::read_outages(options.faults, *text, nodes, {options.lenient});
  if (!rows) return tl::unexpected(rows.error());
  if (rows->skipped > 0) {
    notes.push_back(fmt::format("{}: {}; the first: {}", options.faults, left_out(rows->skipped),
                                rows->first_errors.front()));
  }
  return std::move(rows->value);
}

Result<simulate::ReplayInput> input_of_site(const model::Site& site,
                                            const std::vector<formats::NodeOutage>& outages,
                                            simulate::ReplayInput input) {
  auto cluster = formats::build_cluster(site, formats::built_in_catalogue());
  if (!cluster) return tl::unexpected(cluster.error());
  const formats::NodeIds ids(*cluster);
  input.queues = site.queues;
  input.windows = formats::build_windows(site, ids);
  for (const formats::NodeOutage& one : outages) {
    const model::NodeId node = ids.find(one.node);  // none where a variation has fewer nodes
    if (node.valid()) input.outages.push_back({node, one.from, one.to});
  }
  input.cluster = std::make_shared<const model::Cluster>(std::move(*cluster));
  return input;
}

// ---- settings and sweeps

struct Sweep {
  std::string key;
  std::vector<std::string> values;
};

Result<std::vector<Setting>> parse_settings(const std::vector<std::string>& words) {
  std::vector<Setting> settings;
  for (const std::string& word : rejoined(words)) {
    auto one = formats::parse_setting(word);
    if (!one) return base::fail("--set: " + one.error().message);
    settings.push_back(std::move(*one));
  }
  return settings;
}

Result<std::vector<std::vector<Setting>>> parse_sweeps(const std::vector<std::string>& words) {
  std::vector<std::vector<Setting>> combinations{{}};
  for (const std::string& word : rejoined(words)) {
    const auto setting = formats::parse_setting(word);
    if (!setting) return base::fail("--sweep: " + setting.error().message);
    const auto values = formats::parse_sweep_values(setting->value);
    if (!values) return base::fail("--sweep: " + setting->key + ": " + values.error().message);
    if (combinations.size() * values->size() > kMostRuns) {
      return base::fail(fmt::format("--sweep: more than {} combinations", kMostRuns));
    }
    std::vector<std::vector<Setting>> longer;
    for (const auto& one : combinations) {
      for (const std::string& value : *values) {
        longer.push_back(one);
        longer.back().push_back({setting->key, value});
      }
    }
    combinations = std::move(longer);
  }
  return combinations;
}

// The weights of the policy slurm. A folder stands for the slurm.conf in it.
Result<model::SlurmPriority> read_slurm_conf(const SimulateOptions& options,
                                             const std::vector<std::string>& policies,
                                             std::vector<std::string>& notes) {
  const bool wanted = std::find(policies.begin(), policies.end(), "slurm") != policies.end();
  if (options.slurm_conf.empty()) {
    if (wanted) {
      notes.push_back(
          "slurm: without --slurm-conf it has the weights of the sample in Slurm's manual");
    }
    return model::example_slurm_priority();
  }
  if (!wanted) return base::fail("--slurm-conf: the policy slurm is not asked for (--policy)");
  std::vector<formats::NamedText> texts;
  for (std::string path : options.slurm_conf) {
    if (std::filesystem::is_directory(path)) path += "/slurm.conf";
    auto text = formats::read_any_file(path);
    if (!text) return base::fail("--slurm-conf: " + text.error().message);
    texts.push_back({path, std::move(*text)});
  }
  auto priority = formats::read_slurm_priority(texts);
  if (!priority) return base::fail("--slurm-conf: " + priority.error().message);
  return priority;
}

// What all variations have in common: what flags say.
Result<simulate::ReplayInput> common_input(const SimulateOptions& options) {
  const auto checkpoint = duration_flag("--checkpoint", options.checkpoint, false);
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  const auto restart = duration_flag("--restart", options.restart, true);
  if (!restart) return tl::unexpected(restart.error());
  const auto repair = duration_flag("--repair", options.repair, false);
  if (!repair) return tl::unexpected(repair.error());
  simulate::FaultModel faults;
  if (!options.mtbf.empty()) {
    const auto mtbf = duration_flag("--mtbf", options.mtbf, false);
    if (!mtbf) return tl::unexpected(mtbf.error());
    faults = {*mtbf, *repair};
  }
  if (options.reservations < 0) return base::fail("--reservations: it is not negative");
  simulate::ReplayInput input{
      .faults = faults, .checkpoint_every = *checkpoint, .restart_cost = *restart};
  input.settings.reservations = options.reservations;
  return input;
}

Result<void> add_variations(const SimulateOptions& options, const model::Site& site,
                            const std::vector<formats::NodeOutage>& outages,
                            const simulate::ReplayInput& common, Simulation& simulation) {
  const auto sweeps = parse_sweeps(options.sweeps);
  if (!sweeps) return tl::unexpected(sweeps.error());
  for (const std::vector<Setting>& sweep : *sweeps) {
    const auto changed = formats::with_settings(site, sweep, formats::known_products());
    if (!changed) return base::fail("--sweep: " + changed.error().message);
    auto input = input_of_site(*changed, outages, common);
    if (!input) return tl::unexpected(input.error());
    simulation.variations.push_back({sweep, std::move(*input)});
  }
  return {};
}

}  // namespace

base::Result<Simulation> read_simulation(const SimulateOptions& options,
                                         std::vector<std::string>& notes) {
  Simulation simulation;
  auto placements = checked_names("--placement", options.placements, {"headroom_learned"},
                                  schedule::placement_names());
  if (!placements) return tl::unexpected(placements.error());
  const bool all = options.policies == std::vector<std::string>{"all"};
  auto policies = checked_names("--policy", all ? schedule::policy_names() : options.policies,
                                {"fifo", "easy", "headroom"}, schedule::policy_names());
  if (!policies) return tl::unexpected(policies.error());
  auto seeds = parse_seeds(options.seeds);
  if (!seeds) return tl::unexpected(seeds.error());
  simulation.placements = std::move(*placements);
  simulation.policies = std::move(*policies);
  simulation.seeds = std::move(*seeds);
  simulation.keep_results = !options.job_log.empty();
  simulation.keep_drawn = !options.report.empty();
  simulation.predictions = options.predictions;
  auto common = common_input(options);
  if (!common) return tl::unexpected(common.error());
  auto slurm = read_slurm_conf(options, simulation.policies, notes);
  if (!slurm) return tl::unexpected(slurm.error());
  common->policy_settings.slurm.priority = std::move(*slurm);
  const auto settings = parse_settings(options.settings);
  if (!settings) return tl::unexpected(settings.error());
  auto site = read_site(options);
  if (!site) return tl::unexpected(site.error());
  const auto cluster = formats::build_cluster(*site, formats::built_in_catalogue());
  if (!cluster) return tl::unexpected(cluster.error());
  auto jobs = read_jobs(options, *site, *cluster, notes);
  if (!jobs) return tl::unexpected(jobs.error());
  settle_queues(*jobs, *site, notes);
  common->jobs = std::make_shared<const model::History>(std::move(*jobs));
  site = formats::with_settings(*site, *settings, formats::known_products());
  if (!site) return base::fail("--set: " + site.error().message);
  const auto outages = read_faults(options, *site, notes);
  if (!outages) return tl::unexpected(outages.error());
  if (auto done = add_variations(options, *site, *outages, *common, simulation); !done) {
    return tl::unexpected(done.error());
  }
  const bool draws = std::find(simulation.placements.begin(), simulation.placements.end(),
                               "random") != simulation.placements.end();
  if (simulation.seeds.size() > 1 && options.mtbf.empty() && !draws) {
    notes.push_back("without --mtbf or --placement random all seeds give the same run");
  }
  if (simulation.size() > kMostRuns) {
    return base::fail(
        fmt::format("{} runs are more than the {} allowed", simulation.size(), kMostRuns));
  }
  return simulation;
}

base::Result<simulate::ReplayInput> read_replay(SimulateOptions options,
                                                std::vector<std::string>& notes) {
  options.sweeps.clear();
  if (options.policies.empty()) options.policies = {"headroom"};
  const auto simulation = read_simulation(options, notes);
  if (!simulation) return tl::unexpected(simulation.error());
  return input_of(*simulation, 0);
}

}  // namespace headroom::cli
