#include "cli/simulate_observed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "cli/table.h"
#include "formats/quantity.h"
#include "formats/time.h"
#include "schedule/policies.h"

namespace headroom::cli {

namespace {

using nlohmann::ordered_json;
using simulate::Measured;
using simulate::Observed;

constexpr base::Duration kResolution{5000};  // whole seconds, and a batch job may start 3 s late

// Where schedulers put jobs that are not told to spread: together.
constexpr const char* kPlacement = "packing";

// Partitions are Slurm's word.
bool is_of_slurm(const model::History& history) {
  return std::any_of(history.jobs.begin(), history.jobs.end(),
                     [](const model::HistoricJob& job) { return !job.partition.empty(); });
}

// What happened, happened once.
base::Result<void> check_flags(const SimulateOptions& options) {
  const std::pair<const char*, bool> others[] = {
      {"several policies", options.policies.size() > 1},
      {"several placements", options.placements.size() > 1},
      {"--sweep", !options.sweeps.empty()},
      {"--mtbf", !options.mtbf.empty()}};
  for (const auto& [what, given] : others) {
    if (given) return base::fail(fmt::format("--observed: not with {}", what));
  }
  return {};
}

// Reasons why a job is not compared, and how many there are of it.
std::vector<std::pair<const char*, std::int64_t>> not_compared(const Observed& found) {
  return {{"without_gpus", found.without_gpus},
          {"began_before", found.began_before},
          {"requeued", found.requeued},
          {"dependent", found.dependent},
          {"cannot_run", found.cannot_run}};
}

constexpr const char* kWords[] = {"ask for no GPU", "were submitted before the span",
                                  "were requeued", "depended on other jobs",
                                  "cannot run on this cluster"};

std::vector<std::string> doubts(const Observed& found) {
  std::vector<std::string> all;
  const auto waits = [&](const char* what, double then, double now) {
    all.push_back(
        fmt::format("{} of the wait is {:.1f} s observed, {:.1f} s replayed", what, then, now));
  };
  const Measured& then = found.observed;
  const Measured& now = found.replayed;
  if (!found.p50_is_close) waits("P50", then.wait_s.p50, now.wait_s.p50);
  if (!found.p90_is_close) waits("P90", then.wait_s.p90, now.wait_s.p90);
  if (!found.use_is_close) {
    all.push_back(fmt::format("use is {:.1f} % observed, {:.1f} % replayed", 100 * then.utilisation,
                              100 * now.utilisation));
  }
  if (!found.enough_jobs()) {
    all.push_back(fmt::format("fewer than {} jobs can be compared", simulate::kObservedJobs));
  }
  if (!found.same_cluster()) all.push_back("jobs that ran then cannot run on this cluster");
  return all;
}

ordered_json json_of(const Measured& measured) {
  return {{"wait_s", {{"p50", measured.wait_s.p50}, {"p90", measured.wait_s.p90}}},
          {"utilisation", measured.utilisation}};
}

std::string verdict(const Observed& found) {
  const std::string within = fmt::format("within {:.0f} % (waits: or {:g} s)",
                                         100 * simulate::kObservedPart, found.resolution_s);
  if (found.validated()) return "validated: " + within;
  return fmt::format("not validated, not all is {}: {}", within, fmt::join(doubts(found), "; "));
}

}  // namespace

base::Result<ObservedRun> replay_observed(SimulateOptions options,
                                          std::vector<std::string>& notes) {
  const bool told = !options.policies.empty();
  if (!told) options.policies = {"slurm"};
  if (auto done = check_flags(options); !done) return tl::unexpected(done.error());
  const base::Result<base::Duration> resolution =
      options.resolution.empty() ? kResolution : formats::parse_duration(options.resolution);
  if (!resolution) return base::fail("--resolution: " + resolution.error().message);
  const base::Result<base::Time> begin =
      options.from.empty() ? base::Time{} : formats::parse_time(options.from);
  if (!begin) return base::fail("--from: " + begin.error().message);
  auto read = read_replay(options, notes);
  if (!read) return tl::unexpected(read.error());
  simulate::ReplayInput input = std::move(*read);
  if (options.placements.empty()) input.placement = kPlacement;
  if (!told && !is_of_slurm(*input.jobs)) {
    return base::fail(
        "--observed: the history does not tell which policy was in force; name it with --policy");
  }
  const auto span = simulate::span_of(*input.jobs, *begin);
  if (!span) return base::fail(options.jobs + ": " + span.error().message);
  const base::Duration turnaround = simulate::turnaround_of(*input.jobs);
  input.plan_by_limit = true;
  input.jobs =
      std::make_shared<const model::History>(simulate::from_span(*input.jobs, *span, turnaround));
  auto result = simulate::replay(input);
  if (!result) return tl::unexpected(result.error());
  const Observed observed =
      simulate::compare_observed(input, *result, {*span, turnaround, *resolution});
  return ObservedRun{input.policy, std::move(input), std::move(*result), observed};
}

std::string observed_json(const ObservedRun& run) {
  const Observed& found = run.observed;
  ordered_json others;
  for (const auto& [name, jobs] : not_compared(found)) others[name] = jobs;
  ordered_json observed = json_of(found.observed);
  observed["replayed"] = json_of(found.replayed);
  observed["validated"] = found.validated();
  observed["why_not"] = doubts(found);
  observed["within"] = simulate::kObservedPart;
  observed["resolution_s"] = found.resolution_s;
  observed["turnaround_s"] = found.turnaround_s;
  observed["jobs"] = found.compared;
  observed["not_compared"] = std::move(others);
  observed["from"] = formats::print_time(found.span.from);
  observed["to"] = formats::print_time(found.span.to);
  const ordered_json document = {{"policy", run.policy},
                                 {"placement", run.input.placement},
                                 {"observed", std::move(observed)},
                                 {"digest", base::to_hex(run.result.digest)}};
  return document.dump(1) + "\n";
}

std::string observed_csv(const ObservedRun& run) {
  const auto row = [&](const std::string& what, const Measured& measured) {
    return fmt::format("{},{},{},{},{},{}\n", what, run.observed.compared, measured.wait_s.p50,
                       measured.wait_s.p90, measured.utilisation,
                       run.observed.validated() ? "yes" : "no");
  };
  return "what,jobs,wait_p50_s,wait_p90_s,utilisation,validated\n" +
         row("observed", run.observed.observed) + row(run.policy, run.observed.replayed);
}

std::string observed_job_log(const ObservedRun& run) {
  std::string text = "id,queue,user,gpus,submit,wait_s,replayed_wait_s\n";
  for (const simulate::Waits& one : run.observed.waits) {
    const model::HistoricJob& job = run.input.jobs->jobs[one.job];
    text += fmt::format("{},{},{},{},{},{},{}\n", job.id, job.job.queue, job.job.user,
                        model::gpus_of(job.job), formats::print_time(job.submit), one.observed_s,
                        one.replayed_s);
  }
  return text;
}

std::string observed_table(const ObservedRun& run, std::size_t width) {
  const Observed& found = run.observed;
  Table table({{"", true}, {"JOBS"}, {"WAIT S P50"}, {"P90"}, {"USED %"}});
  const auto row = [&](const std::string& what, const Measured& measured) {
    table.add_row({what, fmt::format("{}", found.compared),
                   fmt::format("{:.1f}", measured.wait_s.p50),
                   fmt::format("{:.1f}", measured.wait_s.p90),
                   fmt::format("{:.1f}", 100 * measured.utilisation)});
  };
  row("observed", found.observed);
  row("replayed: " + run.policy, found.replayed);
  std::string text = table.render({.width = width});
  text += fmt::format("from {} to {}; {:.1f} s from an end to the next start\n",
                      formats::print_time(found.span.from), formats::print_time(found.span.to),
                      found.turnaround_s);
  const auto others = not_compared(found);
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i].second > 0) {
      text += fmt::format("not compared: {} that {}\n", others[i].second, kWords[i]);
    }
  }
  return text + verdict(found) + "\n";
}

}  // namespace headroom::cli
