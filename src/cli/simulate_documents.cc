// What `headroom simulate` writes for programs: JSON and CSV.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "cli/simulate.h"
#include "formats/quantity.h"

namespace headroom::cli {

namespace {

using nlohmann::ordered_json;

// Of no jobs at all there is none.
ordered_json json_of(const simulate::Spread& spread, std::int64_t jobs) {
  if (jobs == 0) return nullptr;
  return {{"mean", spread.mean}, {"p50", spread.p50}, {"p90", spread.p90}, {"p99", spread.p99}};
}

// A swept value: a number where it is one.
ordered_json value_of(const std::string& text) {
  const auto number = formats::parse_integer(text, -1'000'000'000'000, 1'000'000'000'000);
  return number ? ordered_json(*number) : ordered_json(text);
}

// 0 stands for "there is none".
ordered_json ratio_of(double ratio) { return ratio > 0 ? ordered_json(ratio) : ordered_json(); }

template <std::size_t N, class T>
ordered_json by_name(const std::array<const char*, N>& names, const std::array<T, N>& values) {
  ordered_json object = ordered_json::object();
  for (std::size_t i = 0; i < N; ++i) object[names[i]] = values[i];
  return object;
}

ordered_json queues_of(const SimulateRun& run) {
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < run.queues.size(); ++i) {
    const simulate::QueueSummary& one = run.queues[i];
    list.push_back({{"queue", one.queue},
                    {"jobs", one.jobs},
                    {"rejected", one.rejected},
                    {"unfinished", one.unfinished},
                    {"wait_s", json_of(one.wait_s, one.jobs)},
                    {"completion_s", json_of(one.completion_s, one.jobs)},
                    {"gpu_h", one.gpu_h},
                    {"share", one.share},
                    {"ratio", ratio_of(run.fairness.ratios[i])}});
  }
  return list;
}

ordered_json json_of(const simulate::PredictionLoss& loss, bool limited) {
  const auto quantile = [&](const simulate::PinballLoss& one) {
    ordered_json json = {{"predicted", one.predicted}, {"global", one.global}};
    if (limited) json["limit"] = one.limit;
    return json;
  };
  return {{"jobs", loss.jobs}, {"p50", quantile(loss.p50)}, {"p90", quantile(loss.p90)}};
}

ordered_json json_of(const SimulateRun& run, std::int64_t left_out) {
  const simulate::Summary& summary = run.summary;
  ordered_json sweep = ordered_json::object();
  for (const formats::Setting& one : run.variation->sweep) sweep[one.key] = value_of(one.value);
  ordered_json json = {
      {"policy", run.policy},
      {"placement", run.placement},
      {"seed", run.seed},
      {"sweep", std::move(sweep)},
      {"jobs", summary.jobs},
      {"skipped", left_out},
      {"rejected", summary.rejected},
      {"rejected_by", by_name(simulate::kRejectionNames, summary.rejected_by)},
      {"unfinished", summary.unfinished},
      {"completion_s", json_of(summary.completion_s, summary.jobs)},
      {"wait_s", json_of(summary.wait_s, summary.jobs)},
      {"slowdown", json_of(summary.slowdown, summary.jobs)},
      {"makespan_s", summary.makespan_s},
      {"utilisation", {{"allocated", summary.allocated}, {"useful", summary.useful}}},
      {"fragmentation", summary.fragmentation},
      {"fairness",
       {{"jain", ratio_of(run.fairness.jain)},
        {"worst_ratio", ratio_of(run.fairness.worst_ratio)}}},
      {"idle_while_waiting_gpu_h",
       by_name(simulate::kCauseNames, summary.idle_while_waiting_gpu_h)},
      {"deadlines", {{"jobs", summary.deadlines.jobs}, {"missed", summary.deadlines.missed}}},
      {"preemptions", summary.preemptions},
      {"node_failures", summary.node_failures},
      {"lost_gpu_h", summary.lost_gpu_h},
      {"queues", queues_of(run)},
      {"digest", base::to_hex(summary.digest)}};
  if (run.predictions) {
    json["pinball_s"] = {{"all", json_of(run.predictions->all, false)},
                         {"limited", json_of(run.predictions->limited, true)}};
  }
  return json;
}

ordered_json assumed(const SimulateOptions& options) {
  ordered_json faults = ordered_json::object();
  if (!options.faults.empty()) faults["file"] = options.faults;
  if (!options.mtbf.empty()) {
    faults["mtbf"] = options.mtbf;
    faults["repair"] = options.repair;
  }
  return {{"checkpoint", options.checkpoint},
          {"restart", options.restart},
          {"faults", std::move(faults)},
          {"settings", options.settings},
          {"text", assumptions(options)}};
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

// A column of the CSV: its title, and what stands in it.
struct CsvColumn {
  const char* title;
  double (*value)(const simulate::Summary&);
};

constexpr CsvColumn kColumns[] = {
    {"completion_mean_s", [](const auto& s) { return s.completion_s.mean; }},
    {"completion_p50_s", [](const auto& s) { return s.completion_s.p50; }},
    {"completion_p90_s", [](const auto& s) { return s.completion_s.p90; }},
    {"completion_p99_s", [](const auto& s) { return s.completion_s.p99; }},
    {"wait_mean_s", [](const auto& s) { return s.wait_s.mean; }},
    {"wait_p50_s", [](const auto& s) { return s.wait_s.p50; }},
    {"wait_p90_s", [](const auto& s) { return s.wait_s.p90; }},
    {"wait_p99_s", [](const auto& s) { return s.wait_s.p99; }},
    {"slowdown_mean", [](const auto& s) { return s.slowdown.mean; }},
    {"slowdown_p90", [](const auto& s) { return s.slowdown.p90; }},
    {"makespan_s", [](const auto& s) { return s.makespan_s; }},
    {"allocated", [](const auto& s) { return s.allocated; }},
    {"useful", [](const auto& s) { return s.useful; }},
    {"fragmentation", [](const auto& s) { return s.fragmentation; }},
    {"lost_gpu_h", [](const auto& s) { return s.lost_gpu_h; }},
};

}  // namespace

std::string simulate_json(const SimulateOptions& options, const Simulation& simulation,
                          const std::vector<SimulateRun>& runs, double seconds) {
  ordered_json list = ordered_json::array();
  for (const SimulateRun& run : runs) {
    list.push_back(json_of(run, simulation.jobs().rows_left_out()));
  }
  const ordered_json document = {
      {"runs", std::move(list)}, {"assumed", assumed(options)}, {"seconds", seconds}};
  return document.dump(1) + "\n";
}

std::string simulate_csv(const std::vector<SimulateRun>& runs) {
  std::string text = "policy,placement,seed,";
  for (const formats::Setting& one : runs.front().variation->sweep) {
    text += csv_cell("sweep." + one.key) + ",";
  }
  text += "jobs,rejected,unfinished,";
  for (const CsvColumn& column : kColumns) text += fmt::format("{},", column.title);
  for (const char* cause : simulate::kCauseNames) text += fmt::format("idle_{}_gpu_h,", cause);
  text += "jain,worst_ratio,deadlines,missed,preemptions,node_failures,digest\n";
  for (const SimulateRun& run : runs) {
    const simulate::Summary& s = run.summary;
    text += fmt::format("{},{},{},", run.policy, run.placement, run.seed);
    for (const formats::Setting& one : run.variation->sweep) text += csv_cell(one.value) + ",";
    text += fmt::format("{},{},{},", s.jobs, s.rejected, s.unfinished);
    for (const CsvColumn& column : kColumns) text += fmt::format("{},", column.value(s));
    for (const double hours : s.idle_while_waiting_gpu_h) text += fmt::format("{},", hours);
    text += fmt::format("{},{},{},{},{},{},{}\n", run.fairness.jain, run.fairness.worst_ratio,
                        s.deadlines.jobs, s.deadlines.missed, s.preemptions, s.node_failures,
                        base::to_hex(s.digest));
  }
  return text;
}

}  // namespace headroom::cli
