// headroom generate: a workload out of a seed, to try a cluster or a policy on.
#include "simulate/generate.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "cli/files.h"
#include "cli/history_file.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "formats/cluster_yaml.h"

namespace headroom::cli {

namespace {

constexpr const char* kDetails =
    "Writes jobs in our own history form, which `simulate` reads, and with --site the cluster.yaml "
    "that they are for. The same seed gives the same file on every machine.\n"
    "\n"
    "hpc: 30 days of batch jobs of 1 to 256 GPUs, mostly powers of two, on 64 nodes of 8 GPUs, "
    "load "
    "0.9, six queues. mixed: 7 days of training gangs, one-GPU batch jobs, fractions of a GPU and "
    "services that follow the day, on 32 nodes, load 1.0, four queues with guarantees. Both in the "
    "rhythm of a working week.";

struct GenerateOptions {
  std::string load_name;
  std::int64_t seed = 0;
  std::int64_t days = 0;
  double load = 0;
  std::int64_t nodes = 0;
  std::string output;
  std::string site;
};

std::vector<Flag> flags_of(GenerateOptions& options) {
  return {{"what", "hpc|mixed", "which", &options.load_name, true, simulate::load_names()},
          {"--seed", "N", "another number, other jobs", &options.seed},
          {"--days", "N", "over which jobs are submitted; 0: as above", &options.days},
          {"--load", "X",
           "GPU time of the jobs divided by that of the cluster in these days; 0: as above",
           &options.load},
          {"--nodes", "N", "of 8 GPUs each; 0: as above", &options.nodes},
          {"-o,--output", "FILE",
           "where to: a name that ends in .csv, .jsonl or .yaml; default: standard output, as CSV",
           &options.output},
          {"--site", "FILE", "also write the cluster.yaml of these jobs", &options.site}};
}

int fail_with(const std::string& message) {
  fmt::print(stderr, "headroom: {}\n", printable(message));
  return kUsage;
}

base::Result<simulate::GenerateInput> input_of(const GenerateOptions& options) {
  if (options.seed < 0) return base::fail(fmt::format("--seed: {} is negative", options.seed));
  if (options.days < 0) return base::fail(fmt::format("--days: {} is negative", options.days));
  if (options.nodes < 0) return base::fail(fmt::format("--nodes: {} is negative", options.nodes));
  if (options.load != 0 && !(options.load >= 0.001 && options.load <= 10)) {
    return base::fail(fmt::format("--load: {} is not in 0.001..10", options.load));
  }
  if (!options.site.empty() && options.site == options.output) {
    return base::fail("--site and --output name the same file");
  }
  return simulate::GenerateInput{.load_name = options.load_name,
                                 .seed = static_cast<std::uint64_t>(options.seed),
                                 .days = options.days,
                                 .load_permille = std::llround(options.load * 1000),
                                 .nodes = options.nodes};
}

int run_generate(const GenerateOptions& options) {
  const auto input = input_of(options);
  if (!input) return fail_with(input.error().message);
  const auto made = simulate::generate(*input);
  if (!made) return fail_with(made.error().message);
  std::optional<PendingFile> site;
  if (!options.site.empty()) {
    auto file = PendingFile::create(options.site);
    if (!file) return fail_with("--site: " + file.error().message);
    site.emplace(std::move(*file));
  }
  const std::string text = history_text(made->jobs, form_of_file(options.output));
  if (const int written = write_out(options.output, text); written != kOk) return written;
  if (site) {
    const auto done = site->commit(formats::write_cluster_yaml(made->site));
    if (!done) return fail_with("--site: " + done.error().message);
  }
  fmt::print(stderr, "headroom: {} jobs\n",
             grouped(static_cast<std::int64_t>(made->jobs.jobs.size())));
  return kOk;
}

}  // namespace

Command generate_command() {
  const auto options = std::make_shared<GenerateOptions>();
  return {.name = "generate",
          .summary = "Make up a workload and its cluster, for simulate",
          .details = kDetails,
          .flags = flags_of(*options),
          .examples = {{"generate hpc --seed 1 -o hpc.csv --site hpc.yaml",
                        "a month of jobs, and the cluster for them"},
                       {"generate mixed --days 2 --load 1.2 --nodes 8 -o mixed.jsonl",
                        "two days of more than eight nodes can do"}},
          .run = [options] { return run_generate(*options); }};
}

}  // namespace headroom::cli
