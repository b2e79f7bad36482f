#include "cli/pack.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/pack_bounds.h"
#include "cli/pack_documents.h"
#include "cli/pack_report.h"
#include "cli/parallel.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "formats/file.h"

namespace headroom::cli {

namespace {

constexpr const char* kDetails =
    "Tasks arrive one at a time in a random order, are placed or dropped for good, and never "
    "leave, until tasks for --arrive times the cluster's GPUs have come. What stays idle shows "
    "what a placement wastes. Every placement sees the same orders, one a seed. (The experiment "
    "of Weng et al., Beware of Fragmentation, USENIX ATC 2023.)\n"
    "\n"
    "Allocated and fragment are % of all GPUs, the fragment rate % of the idle ones. A terminal "
    "gets tables that fit it, a pipe plain columns with every statistic; -o chooses.";

std::vector<Flag> flags_of(PackOptions& options) {
  return {
      {"--nodes", "FILE", "the nodes of the cluster: cluster.yaml or an openb CSV", &options.nodes,
       true},
      {"--tasks", "FILE...", "task lists: openb CSV, tasks.csv or job.yaml", &options.tasks, true},
      {"--placement", "NAME,...", "placements to compare (all)", &options.placements},
      {"--seeds", "A-B", "random orders, e.g. 42-51 or 1,3,7-9", &options.seeds},
      {"--arrive", "X", "tasks that ask for X times the cluster's GPUs arrive", &options.arrive},
      {"--threads", "N", "runs at a time; 0: one a core", &options.threads},
      {"-o,--output",
       "FORM",
       "table, wide, json or csv",
       &options.output,
       false,
       {"table", "wide", "json", "csv"}},
      {"--report", "FILE.html", "also write one self-contained page with curves", &options.report},
      {"--bounds", "FILE", "known upper bounds a list, drawn into the report", &options.bounds},
      {"--lenient", "", "leave out bad rows and count them, instead of stopping", &options.lenient},
  };
}

int fail_with(const PackSurroundings& to, const std::string& message) {
  fmt::print(to.err, "headroom: {}\n", printable(message));
  return kUsage;
}

std::string document_of(const PackOutcome& outcome, const std::string& form,
                        const Terminal& terminal) {
  if (form == "json") return pack_json(outcome);
  if (form == "csv") return pack_csv(outcome);
  if (form == "wide" || (form.empty() && !terminal.is_terminal)) return pack_wide(outcome);
  return pack_table(outcome, {.width = terminal.width, .bold_header = terminal.colour});
}

// What is asked for besides the grid, checked before the long work.
struct Extras {
  std::map<std::string, Bound> bounds;
  std::optional<PendingFile> report;
};

base::Result<Extras> prepare(const PackOptions& options) {
  Extras extras;
  if (!options.bounds.empty()) {
    const auto text = formats::read_file(options.bounds, formats::kLargestCsv);
    if (!text) return tl::unexpected(text.error());
    auto bounds = read_bounds(options.bounds, *text);
    if (!bounds) return tl::unexpected(bounds.error());
    extras.bounds = std::move(*bounds);
  }
  if (!options.report.empty()) {
    auto report = PendingFile::create(options.report);
    if (!report) return base::fail("--report: " + report.error().message);
    extras.report.emplace(std::move(*report));
  }
  return extras;
}

int print_document(const std::string& text, const PackSurroundings& to) {
  const bool written = std::fwrite(text.data(), 1, text.size(), to.out) == text.size();
  if (written && std::fflush(to.out) == 0) return kOk;
  fmt::print(to.err, "headroom: the output cannot be written\n");
  return kFailed;
}

}  // namespace

int run_pack(const PackOptions& options, const PackSurroundings& to) {
  std::vector<std::string> warnings;
  const auto grid = read_grid(options, warnings);
  if (!grid) return fail_with(to, grid.error().message);
  const Interrupt interrupt;  // from here on there is a file to clean up
  auto extras = prepare(options);
  if (!extras) return fail_with(to, extras.error().message);
  for (const std::string& warning : warnings) {
    fmt::print(to.err, "headroom: {}\n", printable(warning));
  }

  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Progress progress(to.err, to.err_terminal, "run", grid->size());
  const auto runs = run_grid(*grid, to.run,
                             {.threads = thread_count(options.threads),
                              .stop = &Interrupt::requested(),
                              .on_progress = [&](std::size_t done) { progress.update(done); }});
  progress.erase();
  if (Interrupt::requested()) {
    fmt::print(to.err, "headroom: interrupted; nothing was written\n");
    return Interrupt::exit_code();
  }
  if (!runs) return fail_with(to, runs.error().message);

  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const PackOutcome outcome = summarise(*grid, *runs, seconds);
  if (extras->report) {
    const auto done = extras->report->commit(pack_report(outcome, extras->bounds));
    if (!done) return fail_with(to, "--report: " + done.error().message);
  }
  const int printed = print_document(document_of(outcome, options.output, to.out_terminal), to);
  if (printed == kOk && to.err_terminal.is_terminal) {
    fmt::print(to.err, "{} runs in {:.1f} s{}\n", grid->size(), seconds,
               options.report.empty() ? "" : "; report: " + printable(options.report));
  }
  return printed;
}

Command pack_command() {
  const auto options = std::make_shared<PackOptions>();
  return {.name = "pack",
          .summary = "Fill a cluster with tasks and compare placements",
          .details = kDetails,
          .flags = flags_of(*options),
          .examples = {{"pack --nodes data/openb/openb_node_list_gpu_node.csv --tasks "
                        "data/openb/openb_pod_list_default.csv --placement fgd,best_fit",
                        "two placements on a real cluster of 6,212 GPUs, ten orders each"},
                       {"pack --nodes data/openb/openb_node_list_gpu_node.csv --tasks "
                        "data/openb/openb_pod_list_default.csv --bounds data/openb/bounds.csv "
                        "--report pack.html",
                        "all placements, and a page with the curves"}},
          .run = [options] {
            return run_pack(*options, {.run = simulate::fill_up,
                                       .out_terminal = inspect_terminal(1),
                                       .err_terminal = inspect_terminal(2)});
          }};
}

}  // namespace headroom::cli
