#include "cli/simulate.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/simulate_observed.h"
#include "cli/simulate_report.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "schedule/policies.h"

namespace headroom::cli {

namespace {

constexpr const char* kDetails =
    "Replays a history of jobs (accounting of Slurm, our own CSV, JSON lines or YAML, Standard "
    "Workload Format, openb lists, the Philly-derived trace) in virtual time: every policy sees "
    "the same jobs, the same true run times, and the same predictions of them, learned from jobs "
    "that have ended before. Queues that the site does not name are added, of equal weight.\n"
    "\n"
    "--set changes a value of cluster.yaml for all runs, --sweep one run after the other: "
    "nodes=50 (of the first pool with GPUs), nodes.v100=30-60:10, queues.research.guarantee=8,16. "
    "Policies, placements, seeds and swept values are combined.\n"
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
       fmt::format("policies to compare: {}; or all", fmt::join(schedule::policy_names(), ", ")),
       &options.policies},
      {"--placement", "NAME,...", "which node a task gets", &options.placements},
      {"--reservations", "N", "blocked jobs of a pool that hold one, for headroom and drf",
       &options.reservations},
      {"--slurm-conf", "FILE,...",
       "weights of the policy slurm: slurm.conf (or its folder), scontrol show config|partition, "
       "sacctmgr -P show qos",
       &options.slurm_conf},
      {"--set", "KEY=VALUE", "a value of cluster.yaml: nodes=50, queues.research.guarantee=64",
       &options.settings},
      {"--sweep", "KEY=VALUES", "the same with several: nodes=30-60:10, nodes.v100=30,40",
       &options.sweeps},
      {"--faults", "FILE", "when nodes were out of service: a CSV of node,from,to",
       &options.faults},
      {"--mtbf", "TIME", "mean time until a node fails; default: none does", &options.mtbf},
      {"--repair", "TIME", "mean time of its repair", &options.repair},
      {"--seeds", "A-B", "of random failures and placements; a run for each", &options.seeds},
      {"--checkpoint", "TIME", "between checkpoints, where a job does not say",
       &options.checkpoint},
      {"--restart", "TIME", "cost of a restart, where a job does not say", &options.restart},
      {"--timezone", "ZONE", "of times without one: UTC, +02:00 or Europe/Berlin",
       &options.time_zone},
      {"--cluster", "NAME", "of a dump of several clusters: the one to take", &options.cluster},
      {"--threads", "N", "runs at a time; 0: one a core", &options.threads},
      {"--predictions", "", "show how good the predictions of run times were (not in CSV)",
       &options.predictions},
      {"--queues", "", "show the table of queues for each run", &options.queues},
      {"--job-log", "FILE", "what became of each job: CSV, or JSON lines (.jsonl)",
       &options.job_log},
      {"--report", "FILE", "a page with pictures: GPUs by queue, who waited and why, largest jobs",
       &options.report},
      {"-o,--output",
       "FORM",
       "table, json or csv",
       &options.output,
       false,
       {"table", "json", "csv"}},
      {"--observed", "", "compare a replay with what truly happened: can it be trusted?",
       &options.observed},
      {"--from", "TIME",
       "with --observed: begin of the dump (sacct -S); default: the first end in it",
       &options.from},
      {"--resolution", "TIME", "with --observed: waits may be off by this; default: 5s",
       &options.resolution},
      {"--lenient", "", "leave out bad rows and count them, instead of stopping", &options.lenient},
  };
}

void say(const std::string& text) { fmt::print(stderr, "headroom: {}\n", printable(text)); }

int fail_with(const std::string& message) {
  say(message);
  return kUsage;
}

int print_document(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kOk;
  say("the output cannot be written");
  return kFailed;
}

// What is written beside the output. Created before the work, so that a path that cannot be written
// is found out early.
struct Extras {
  std::optional<PendingFile> job_log;
  std::optional<PendingFile> report;
};

base::Result<void> open_extra(const char* flag, const std::string& path,
                              std::optional<PendingFile>& file) {
  if (path.empty()) return {};
  auto created = PendingFile::create(path);
  if (!created) return base::fail(fmt::format("{}: {}", flag, created.error().message));
  file.emplace(std::move(*created));
  return {};
}

base::Result<Extras> open_extras(const SimulateOptions& options) {
  Extras extras;
  if (auto done = open_extra("--job-log", options.job_log, extras.job_log); !done) {
    return tl::unexpected(done.error());
  }
  if (auto done = open_extra("--report", options.report, extras.report); !done) {
    return tl::unexpected(done.error());
  }
  return extras;
}

base::Result<void> write_extra(const char* flag, std::optional<PendingFile>& file,
                               std::string_view text) {
  const auto done = file->commit(text);
  return done ? done : base::fail(fmt::format("{}: {}", flag, done.error().message));
}

base::Result<void> write_extras(Extras& extras, const SimulateOptions& options,
                                const Simulation& simulation,
                                const std::vector<SimulateRun>& runs) {
  if (extras.job_log) {
    const auto done =
        write_extra("--job-log", extras.job_log, simulate_job_log(options.job_log, runs));
    if (!done) return done;
  }
  if (!extras.report) return {};
  return write_extra("--report", extras.report, simulate_report(options, simulation, runs));
}

std::string document_of(const SimulateOptions& options, const Simulation& simulation,
                        const std::vector<SimulateRun>& runs, double seconds) {
  if (options.output == "json") return simulate_json(options, simulation, runs, seconds);
  if (options.output == "csv") return simulate_csv(runs);
  const Terminal terminal = inspect_terminal(1);
  return simulate_table(options, runs, terminal.is_terminal ? terminal.width : 0);
}

// Exit code 10: the replay is not as what happened.
int run_observed(const SimulateOptions& options) {
  std::vector<std::string> notes;
  const auto run = replay_observed(options, notes);
  if (!run) return fail_with(run.error().message);
  auto extras = open_extras(options);
  if (!extras) return fail_with(extras.error().message);
  if (extras->job_log) {
    const auto done = write_extra("--job-log", extras->job_log, observed_job_log(*run));
    if (!done) return fail_with(done.error().message);
  }
  for (const std::string& note : notes) say(note);
  const Terminal terminal = inspect_terminal(1);
  const std::size_t width = terminal.is_terminal ? terminal.width : 0;
  const int printed = print_document(options.output == "json"  ? observed_json(*run)
                                     : options.output == "csv" ? observed_csv(*run)
                                                               : observed_table(*run, width));
  if (printed != kOk) return printed;
  return run->observed.validated() ? kOk : kDifference;
}

int run_simulate(const SimulateOptions& options) {
  if (options.observed && !options.report.empty())
    return fail_with("--report: not with --observed");
  if (options.observed) return run_observed(options);
  if (!(options.from + options.resolution).empty()) {
    return fail_with("--from and --resolution: only with --observed");
  }
  std::vector<std::string> notes;
  const auto simulation = read_simulation(options, notes);
  if (!simulation) return fail_with(simulation.error().message);
  const Interrupt interrupt;  // from here on there may be a file to clean up
  auto extras = open_extras(options);
  if (!extras) return fail_with(extras.error().message);
  for (const std::string& note : notes) say(note);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Progress progress(stderr, inspect_terminal(2), "replay", work_of(*simulation));
  const auto runs = run_simulation(
      *simulation, {.threads = thread_count(options.threads),
                    .stop = &Interrupt::requested(),
                    .on_progress = [&](std::size_t done) { progress.update(done); }});
  progress.erase();
  if (Interrupt::requested()) {
    say("interrupted; nothing was written");
    return Interrupt::exit_code();
  }
  if (!runs) return fail_with(runs.error().message);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (const auto done = write_extras(*extras, options, *simulation, *runs); !done) {
    return fail_with(done.error().message);
  }
  return print_document(document_of(options, *simulation, *runs, seconds));
}

}  // namespace

Command simulate_command() {
  const auto options = std::make_shared<SimulateOptions>();
  return {.name = "simulate",
          .summary = "Replay a history of jobs and compare scheduling policies",
          .details = kDetails,
          .flags = flags_of(*options),
          .examples =
              {{"simulate examples/cluster.yaml --jobs examples/history.csv",
                "three policies on a small history"},
               {"simulate examples/cluster.yaml --jobs examples/history.csv --policy headroom "
                "--sweep nodes=32,42",
                "what if there were ten more nodes?"},
               {"simulate examples/cluster.yaml --jobs examples/history.csv --policy headroom "
                "--set queues.research.guarantee.h100=64 --set queues.product.weight=3 "
                "--job-log jobs.csv",
                "what if the queues were laid out otherwise? and what became of each job"},
               {"simulate examples/cluster.yaml --jobs examples/history.csv --policy easy,headroom "
                "--mtbf 10d --repair 4h --seeds 1-5 -o csv",
                "with nodes that fail, five times"},
               {"simulate examples/cluster.yaml --jobs examples/history.csv --policy headroom "
                "--faults examples/faults.csv -o json",
                "with nodes that were out of service as a file tells"},
               {"simulate examples/cluster.yaml --jobs examples/history.csv --policy "
                "slurm,headroom --slurm-conf examples/slurm/slurm.conf",
                "against Slurm with the weights of a configuration"},
               {"simulate examples/cluster.yaml --jobs examples/history.csv --report simulate.html",
                "a page with pictures of three policies, that needs no network"}},
          .run = [options] { return run_simulate(*options); }};
}

}  // namespace headroom::cli
