// What `headroom simulate` prints.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "cli/simulate.h"
#include "cli/table.h"

namespace headroom::cli {

namespace {

using nlohmann::ordered_json;

// By schedule::Reason::Kind.
constexpr std::array<const char*, schedule::kReasons> kCauses = {
    "none",   "capacity",    "fragmentation", "topology",  "reservation",
    "window", "queue_limit", "user_limit",    "guarantee", "order"};

ordered_json json_of(const simulate::Spread& spread) {
  return {{"mean", spread.mean}, {"p50", spread.p50}, {"p90", spread.p90}, {"p99", spread.p99}};
}

ordered_json json_of(const PolicyRun& run, const SimulateOptions& options, std::int64_t left_out) {
  const simulate::Summary& summary = run.summary;
  ordered_json idle;
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    if (summary.idle_while_waiting_gpu_h[i] > 0) {
      idle[kCauses[i]] = summary.idle_while_waiting_gpu_h[i];
    }
  }
  return {{"policy", run.policy},
          {"placement", options.placement},
          {"jobs", summary.jobs},
          {"skipped", left_out},
          {"rejected", summary.rejected},
          {"unfinished", summary.unfinished},
          {"completion_s", json_of(summary.completion_s)},
          {"wait_s", json_of(summary.wait_s)},
          {"slowdown", json_of(summary.slowdown)},
          {"makespan_s", summary.makespan_s},
          {"utilisation", {{"allocated", summary.allocated}, {"useful", summary.useful}}},
          {"fairness", {{"jain", run.fairness.jain}, {"worst_ratio", run.fairness.worst_ratio}}},
          {"idle_while_waiting_gpu_h", std::move(idle)},
          {"preemptions", summary.preemptions},
          {"lost_gpu_h", summary.lost_gpu_h},
          {"digest", base::to_hex(summary.digest)}};
}

// The unit in which the times of these runs read well.
struct Unit {
  const char* name;
  double seconds;
};

Unit unit_of(const std::vector<PolicyRun>& runs) {
  double longest = 0;
  for (const PolicyRun& run : runs) longest = std::max(longest, run.summary.completion_s.p90);
  if (longest >= 7200) return {"H", 3600};
  if (longest >= 120) return {"MIN", 60};
  return {"S", 1};
}

}  // namespace

std::string simulate_json(const SimulateOptions& options, const simulate::ReplayInput& input,
                          const std::vector<PolicyRun>& runs, double seconds) {
  ordered_json list = ordered_json::array();
  for (const PolicyRun& run : runs) {
    list.push_back(json_of(run, options, input.jobs->rows_left_out()));
  }
  const ordered_json document = {
      {"runs", std::move(list)},
      {"assumed", {{"checkpoint", options.checkpoint}, {"restart", options.restart}}},
      {"seconds", seconds}};
  return document.dump(1) + "\n";
}

std::string simulate_csv(const std::vector<PolicyRun>& runs) {
  std::string text =
      "policy,jobs,completion_mean_s,completion_p50_s,completion_p90_s,completion_p99_s,wait_mean_"
      "s,"
      "wait_p50_s,wait_p90_s,wait_p99_s,allocated,useful,jain,worst_ratio,preemptions,lost_gpu_h,"
      "digest\n";
  for (const PolicyRun& run : runs) {
    const simulate::Summary& s = run.summary;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", run.policy, s.jobs,
                        s.completion_s.mean, s.completion_s.p50, s.completion_s.p90,
                        s.completion_s.p99, s.wait_s.mean, s.wait_s.p50, s.wait_s.p90, s.wait_s.p99,
                        s.allocated, s.useful, run.fairness.jain, run.fairness.worst_ratio,
                        s.preemptions, s.lost_gpu_h, base::to_hex(s.digest));
  }
  return text;
}

std::string simulate_table(const std::vector<PolicyRun>& runs, std::size_t width) {
  const Unit unit = unit_of(runs);
  const auto in_unit = [&](double seconds) {
    return fmt::format("{:.2f}", seconds / unit.seconds);
  };
  Table table({{"POLICY", true},
               {"JOBS"},
               {fmt::format("WAIT {} MEAN", unit.name)},
               {"P50"},
               {"P90"},
               {fmt::format("DONE {} MEAN", unit.name)},
               {"P50"},
               {"P90"},
               {"USED %"},
               {"JAIN"},
               {"WORST"}});
  for (const PolicyRun& run : runs) {
    const simulate::Summary& s = run.summary;
    table.add_row({run.policy, fmt::format("{}", s.jobs), in_unit(s.wait_s.mean),
                   in_unit(s.wait_s.p50), in_unit(s.wait_s.p90), in_unit(s.completion_s.mean),
                   in_unit(s.completion_s.p50), in_unit(s.completion_s.p90),
                   fmt::format("{:.1f}", 100 * s.allocated),
                   fmt::format("{:.2f}", run.fairness.jain),
                   fmt::format("{:.1f}", run.fairness.worst_ratio)});
  }
  return table.render({.width = width});
}

}  // namespace headroom::cli
