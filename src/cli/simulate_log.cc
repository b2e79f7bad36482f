// The job log of `headroom simulate`: what became of each job in each run.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/simulate.h"
#include "formats/time.h"
#include "simulate/seconds.h"

namespace headroom::cli {

namespace {

using nlohmann::ordered_json;
using schedule::JobOutcome;
using simulate::seconds;

const char* word(JobOutcome outcome) {
  switch (outcome) {
    case JobOutcome::kUnknown:
      return "unfinished";
    case JobOutcome::kCompleted:
      return "completed";
    case JobOutcome::kFailed:
      return "failed";
    case JobOutcome::kCancelled:
      return "cancelled";
    case JobOutcome::kTimedOut:
      return "timed_out";
    case JobOutcome::kRejected:
      return "rejected";
  }
  return "";
}

// In the order of the columns; null: there is none.
ordered_json row(const SimulateRun& run, const simulate::JobRun& one) {
  const model::HistoricJob& job = run.variation->input.jobs->jobs[one.job];
  const bool started = one.first_start != schedule::kNever;
  const bool ended = simulate::ran_to_its_end(one);
  ordered_json cells = {{"policy", run.policy}, {"placement", run.placement}, {"seed", run.seed}};
  for (const formats::Setting& value : run.variation->sweep)
    cells["sweep." + value.key] = value.value;
  cells["id"] = job.id;
  cells["queue"] = job.job.queue;
  cells["user"] = job.job.user;
  cells["submit"] = formats::print_time(one.submitted);
  cells["start"] = started ? ordered_json(formats::print_time(one.first_start)) : ordered_json();
  cells["end"] = ended ? ordered_json(formats::print_time(one.end)) : ordered_json();
  cells["starts"] = one.starts;
  cells["gpus"] = static_cast<double>(one.gpu_milli) / 1000;
  cells["nodes"] = one.nodes;
  cells["wait_s"] = started ? ordered_json(seconds(base::between(one.submitted, one.first_start)))
                            : ordered_json();
  cells["outcome"] = word(one.outcome);
  cells["why"] =
      one.rejected ? simulate::kRejectionNames[static_cast<std::size_t>(*one.rejected)] : "";
  cells["lost_s"] = seconds(one.lost);
  return cells;
}

std::string csv_cell(const ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

void add_csv(const ordered_json& cells, std::string& text) {
  if (text.empty()) {
    for (const auto& [key, value] : cells.items()) {
      text += (text.empty() ? "" : ",") + csv_cell(ordered_json(key));
    }
    text += "\n";
  }
  bool first = true;
  for (const auto& [key, value] : cells.items()) {
    text += (first ? "" : ",") + csv_cell(value);
    first = false;
  }
  text += "\n";
}

}  // namespace

std::string simulate_job_log(const std::string& path, const std::vector<SimulateRun>& runs) {
  const bool lines = path.ends_with(".jsonl");
  std::string text;
  for (const SimulateRun& run : runs) {
    for (const simulate::JobRun& one : run.result.jobs) {
      const ordered_json cells = row(run, one);
      if (lines) {
        text += cells.dump() + "\n";
      } else {
        add_csv(cells, text);
      }
    }
  }
  return text;
}

}  // namespace headroom::cli
