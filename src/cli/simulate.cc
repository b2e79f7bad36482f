#include "cli/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "formats/build_cluster.h"
#include "formats/catalogue.h"
#include "formats/cluster_yaml.h"
#include "formats/file.h"
#include "formats/history.h"
#include "formats/known.h"
#include "formats/load.h"
#include "formats/quantity.h"
#include "formats/spelling.h"
#include "schedule/placements.h"
#include "schedule/policies.h"

namespace headroom::cli {

namespace {

constexpr const char* kDetails =
    "Replays a history of jobs (accounting of Slurm, our own CSV, JSON lines or YAML, Standard "
    "Workload Format, openb lists, the Philly-derived trace) in virtual time: every policy sees "
    "the "
    "same jobs, the same true run times, and the same predictions of them, learned from jobs that "
    "have ended before. Queues that the site does not name are added, of equal weight.\n"
    "\n"
    "A job that is stopped or loses a node goes on from its last checkpoint and pays its restart "
    "cost; where the history is silent, those of --checkpoint and --restart.";

std::vector<Flag> flags_of(SimulateOptions& options) {
  return {
      {"site", "SITE.yaml", "cluster.yaml: nodes and queues", &options.site, true},
      {"--jobs", "FILE", "the history: a file, or a folder of the Philly-derived trace",
       &options.jobs, true},
      {"--format", "FORMAT", "auto, headroom, gavel, sacct, swf or openb", &options.format},
      {"--policy", "NAME,...",
       fmt::format("policies to compare: {}", fmt::join(schedule::policy_names(), ", ")),
       &options.policies},
      {"--placement", "NAME", "which node a task gets", &options.placement},
      {"--reservations", "N", "blocked jobs of a pool that hold one, for headroom and drf",
       &options.reservations},
      {"--checkpoint", "TIME", "between checkpoints, where a job does not say",
       &options.checkpoint},
      {"--restart", "TIME", "cost of a restart, where a job does not say", &options.restart},
      {"--timezone", "ZONE", "of times without one: UTC, +02:00 or Europe/Berlin",
       &options.time_zone},
      {"--threads", "N", "policies at a time; 0: one a core", &options.threads},
      {"-o,--output",
       "FORM",
       "table, json or csv",
       &options.output,
       false,
       {"table", "json", "csv"}},
      {"--lenient", "", "leave out bad rows and count them, instead of stopping", &options.lenient},
  };
}

void say(const std::string& text) { fmt::print(stderr, "headroom: {}\n", printable(text)); }

std::string unknown(const char* flag, const std::string& word,
                    const std::vector<std::string>& choices) {
  return fmt::format("{}: '{}' is not one{}", flag, word, formats::hint(word, choices));
}

int fail_with(const std::string& message) {
  say(message);
  return kUsage;
}

// A queue and those above it, where the site has none of that name.
void add_queue(std::vector<model::Queue>& queues, const std::string& name) {
  for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    const bool known = std::any_of(queues.begin(), queues.end(),
                                   [&](const model::Queue& one) { return one.name == part; });
    if (!known) queues.push_back({.name = part});
    if (end == std::string::npos) return;
  }
}

base::Result<std::shared_ptr<const model::History>> read_jobs(const SimulateOptions& options,
                                                              const model::Site& site,
                                                              const model::Cluster& cluster,
                                                              std::vector<std::string>& notes) {
  const auto format = formats::parse_history_format(options.format);
  if (!format) return base::fail("--format: " + format.error().message);
  const formats::HistoryOptions how{.strictness = {options.lenient},
                                    .time_zone = options.time_zone,
                                    .cluster = {},
                                    .own_models = cluster.gpu_models};
  auto history = formats::read_history(options.jobs, *format, how);
  if (!history) return tl::unexpected(history.error());
  const auto silent = std::erase_if(
      history->jobs, [](const model::HistoricJob& one) { return one.run <= base::Duration{0}; });
  if (silent > 0)
    history->leave_out("never ran, or their run time is not known",
                       static_cast<std::int64_t>(silent));
  for (const model::LeftOut& one : history->left_out) {
    notes.push_back(fmt::format("{} rows left out: {}", one.rows, one.reason));
  }
  if (history->jobs.empty()) return base::fail(options.jobs + ": no job in it can be replayed");
  for (const std::string& name : model::match_queues(*history, site.queues)) {
    notes.push_back("queue " + name + " is not in the site; it is added, with weight 1");
  }
  return std::make_shared<const model::History>(std::move(*history));
}

base::Result<base::Duration> duration_flag(const char* flag, const std::string& text) {
  auto found = formats::parse_duration(text);
  if (!found) return base::fail(fmt::format("{}: {}", flag, found.error().message));
  return found;
}

base::Result<PolicyRun> run_one(simulate::ReplayInput input, const std::string& policy) {
  input.policy = policy;
  const auto result = simulate::replay(input);
  if (!result) return tl::unexpected(result.error());
  const auto fair = simulate::fairness(input, *result);
  if (!fair) return tl::unexpected(fair.error());
  return PolicyRun{policy, simulate::summarise(input, *result), *fair};
}

// Policies side by side; stored by index, so that the order is that of the flags.
base::Result<std::vector<PolicyRun>> run_all(const SimulateOptions& options,
                                             const simulate::ReplayInput& input,
                                             const std::vector<std::string>& policies) {
  std::vector<std::optional<base::Result<PolicyRun>>> found(policies.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < policies.size(); i = next++) {
      found[i] = run_one(input, policies[i]);
    }
  };
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  const auto threads = options.threads > 0 ? static_cast<std::size_t>(options.threads) : cores;
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 0; i < std::min(threads, policies.size()); ++i) pool.emplace_back(work);
  }
  std::vector<PolicyRun> runs;
  for (auto& one : found) {
    if (!*one) return tl::unexpected(one->error());
    runs.push_back(std::move(**one));
  }
  return runs;
}

int run_simulate(const SimulateOptions& options) {
  std::vector<std::string> notes;
  const auto input = read_replay(options, notes);
  if (!input) return fail_with(input.error().message);
  std::vector<std::string> policies = options.policies;
  if (policies.empty()) policies = {"fifo", "easy", "headroom"};
  for (const std::string& name : policies) {
    if (schedule::make_policy(name) != nullptr) continue;
    return fail_with(unknown("--policy", name, schedule::policy_names()));
  }
  for (const std::string& note : notes) say(note);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto runs = run_all(options, *input, policies);
  if (!runs) return fail_with(runs.error().message);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const Terminal terminal = inspect_terminal(1);
  const std::string text = options.output == "json" ? simulate_json(options, *input, *runs, seconds)
                           : options.output == "csv"
                               ? simulate_csv(*runs)
                               : simulate_table(*runs, terminal.is_terminal ? terminal.width : 0);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kOk;
  say("the output cannot be written");
  return kFailed;
}

}  // namespace

base::Result<simulate::ReplayInput> read_replay(const SimulateOptions& options,
                                                std::vector<std::string>& notes) {
  const auto text = formats::read_any_file(options.site);
  if (!text) return tl::unexpected(text.error());
  const auto site = formats::read_cluster_yaml(options.site, *text, formats::known_products());
  if (!site) return tl::unexpected(site.error());
  auto cluster = formats::build_cluster(*site, formats::built_in_catalogue());
  if (!cluster) return tl::unexpected(cluster.error());
  auto jobs = read_jobs(options, *site, *cluster, notes);
  if (!jobs) return tl::unexpected(jobs.error());
  const auto checkpoint = duration_flag("--checkpoint", options.checkpoint);
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  const auto restart = duration_flag("--restart", options.restart);
  if (!restart) return tl::unexpected(restart.error());
  if (*checkpoint <= base::Duration{0}) return base::fail("--checkpoint: 0 is not above 0");
  if (options.reservations < 0) return base::fail("--reservations: it is not negative");
  simulate::ReplayInput input{
      .cluster = std::make_shared<const model::Cluster>(std::move(*cluster)),
      .queues = site->queues,
      .jobs = std::move(*jobs),
      .outages = {},
      .placement = options.placement,
      .checkpoint_every = *checkpoint,
      .restart_cost = *restart};
  input.settings.reservations = options.reservations;
  if (schedule::make_placement(options.placement, *input.cluster, {}) == nullptr) {
    return base::fail(unknown("--placement", options.placement, schedule::placement_names()));
  }
  std::set<std::string> names;
  for (const model::HistoricJob& one : input.jobs->jobs) names.insert(one.job.queue);
  for (const std::string& name : names) add_queue(input.queues, name);
  return input;
}

Command simulate_command() {
  const auto options = std::make_shared<SimulateOptions>();
  return {.name = "simulate",
          .summary = "Replay a history of jobs and compare scheduling policies",
          .details = kDetails,
          .flags = flags_of(*options),
          .examples = {{"simulate examples/cluster.yaml --jobs examples/history.csv",
                        "three policies on a small history"}},
          .run = [options] { return run_simulate(*options); }};
}

}  // namespace headroom::cli
