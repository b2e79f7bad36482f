// headroom import: what other systems wrote, in our own form. What was inferred, what is missing
// and what was left out is told on standard error.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/history_file.h"
#include "cli/import.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "formats/cluster_yaml.h"
#include "formats/slurm_cluster.h"

namespace headroom::cli {

namespace {

using base::Result;
using model::History;

constexpr const char* kDetails =
    "import jobs: Slurm's accounting (sacct -P with any --format, sacct --json), squeue --json, "
    "scontrol show job, Standard Workload Format, openb task lists and the Philly-derived trace "
    "become our own history of jobs, for simulate. Of several files each job is taken once.\n"
    "\n"
    "import cluster: slurm.conf, gres.conf, topology.conf, scontrol show nodes, partition, config "
    "and topology, sinfo --json, sshare and sacctmgr show assoc and qos (with -P), all given "
    "together, become one cluster.yaml.";

std::vector<Flag> flags_of(ImportOptions& options) {
  return {
      {"what", "jobs|cluster", "what to import", &options.what, true, {"jobs", "cluster"}},
      {"files", "FILE...", "what others wrote", &options.files, true},
      {"-o,--output", "FILE", "where to; default: standard output", &options.output},
      {"--form",
       "FORM",
       "csv, jsonl, yaml or sacct; default: by the name of the output, else csv",
       &options.form,
       false,
       {"csv", "jsonl", "yaml", "sacct"}},
      {"--format", "FORMAT", "of jobs: auto, headroom, gavel, sacct, swf or openb",
       &options.format},
      {"--timezone", "ZONE", "of times without one: UTC, +02:00 or Europe/Berlin",
       &options.time_zone},
      {"--cluster", "NAME", "of a dump of several clusters: the one to take", &options.cluster},
      {"--queue-from",
       "WHAT",
       "what becomes the queue: account, partition or qos",
       &options.queue,
       false,
       {"account", "partition", "qos"}},
      {"--swf-gpus", "", "processors of Standard Workload Format are GPUs", &options.swf_gpus},
      {"--lenient", "", "leave out bad rows and count them, instead of stopping", &options.lenient},
  };
}

void say(const std::string& text) { fmt::print(stderr, "headroom: {}\n", printable(text)); }

int fail_with(const std::string& message) {
  say(message);
  return kUsage;
}

int import_jobs(const ImportOptions& options) {
  const Result<History> history = read_histories(options);
  if (!history) return fail_with(history.error().message);
  const std::string form = options.form.empty() ? form_of_file(options.output) : options.form;
  const int written = write_out(options.output, history_text(*history, form));
  if (written != kOk) return written;
  const auto count = static_cast<std::int64_t>(history->jobs.size());
  say(fmt::format("{} job{}", grouped(count), count == 1 ? "" : "s"));
  for (const model::LeftOut& one : history->left_out) {
    say(fmt::format("{} left out: {}", grouped(one.rows), one.reason));
  }
  for (const std::string& note : history->notes) say("note: " + note);
  return kOk;
}

int import_cluster(const ImportOptions& options) {
  const auto imported = formats::import_slurm_cluster(options.files, {options.lenient});
  if (!imported) return fail_with(imported.error().message);
  const int written = write_out(options.output, formats::write_cluster_yaml(imported->site));
  if (written != kOk) return written;
  for (const std::string& note : imported->notes) say("note: " + note);
  return kOk;
}

}  // namespace

Command import_command() {
  const auto options = std::make_shared<ImportOptions>();
  return {.name = "import",
          .summary = "Turn other schedulers' accounting and configuration into ours",
          .details = kDetails,
          .flags = flags_of(*options),
          .examples = {{"import jobs examples/slurm/sacct.txt --timezone +01:00 -o jobs.csv",
                        "accounting of Slurm as our own history"},
                       {"import cluster examples/slurm/slurm.conf examples/slurm/topology.conf "
                        "examples/slurm/sacctmgr-assoc.txt -o cluster.yaml",
                        "its configuration as a cluster.yaml"}},
          .run = [options] {
            return options->what == "jobs" ? import_jobs(*options) : import_cluster(*options);
          }};
}

}  // namespace headroom::cli
