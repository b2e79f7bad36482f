#include "formats/openb_history.h"

#include <fmt/format.h>

#include <map>

#include "formats/csv.h"
#include "formats/openb.h"
#include "formats/slurm_values.h"
#include "formats/text_rows.h"
#include "formats/utf8.h"

namespace headroom::formats {

using base::Duration;
using base::Result;
using base::Time;
using model::HistoricJob;
using model::History;
using model::Outcome;

namespace {

constexpr std::int64_t kMostSeconds = 10'000'000'000;

const CsvColumns kColumns{
    .required = {"name", "creation_time", "deletion_time", "scheduled_time"},
    .optional = {"qos", "pod_phase"},
    .ignored = {"cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec"}};
enum Column : std::size_t { kName, kCreated, kDeleted, kScheduled, kQos, kPhase };

Outcome outcome_of(std::string_view phase) {
  if (phase == "Failed") return Outcome::kFailed;
  return phase == "Running" ? Outcome::kCancelled : Outcome::kCompleted;
}

Result<void> read_row(const Csv& csv, std::map<std::string, model::Request>& requests,
                      History& history) {
  const auto created = csv.integer(kCreated, 0, kMostSeconds);
  if (!created) return tl::unexpected(created.error());
  if (csv.field(kScheduled).empty()) {
    history.leave_out("the task was never scheduled, so how long it would run is not known");
    return {};
  }
  const auto scheduled = csv.integer(kScheduled, *created, kMostSeconds);
  if (!scheduled) return tl::unexpected(scheduled.error());
  const auto deleted = csv.integer(kDeleted, *scheduled, kMostSeconds);
  if (!deleted) return tl::unexpected(deleted.error());
  HistoricJob one;
  one.id = csv.field(kName);
  const auto request = requests.find(one.id);
  if (request == requests.end()) return {};  // a bad row, which was counted already
  for (const Column column : {kName, kQos}) {
    if (find_bad_text(csv.field(column)) == std::string_view::npos) continue;
    return csv.bad(column, "there are bytes that are not UTF-8 text");
  }
  one.submit = Time{*created * 1000};
  one.start = Time{*scheduled * 1000};
  one.end = Time{*deleted * 1000};
  one.run = base::between(one.start, one.end);
  one.outcome = outcome_of(csv.field(kPhase));
  one.nodes = 1;
  one.qos = csv.field(kQos);
  one.job.job = clean_name(one.id, "task");
  one.job.queue = "default";
  one.job.kind = one.qos == "LS" ? model::JobKind::kService : model::JobKind::kBatch;
  one.job.groups[0].request = std::move(request->second);
  requests.erase(request);  // a second row of the name was counted as bad
  history.jobs.push_back(std::move(one));
  return {};
}

}  // namespace

Result<History> read_openb_history(const std::string& name, const std::string& text,
                                   Strictness strictness) {
  const auto tasks = read_openb_tasks(name, text, strictness);
  if (!tasks) return tl::unexpected(tasks.error());
  Result<Csv> csv = Csv::open(name, text, kColumns);
  if (!csv) return tl::unexpected(csv.error());
  std::map<std::string, model::Request> requests;
  for (const model::Task& task : tasks->value) requests.emplace(task.name, task.request);

  History history;
  history.format = "openb";
  history.leave_out(kBadRows, tasks->skipped);
  while (true) {
    const Result<bool> more = csv->next();
    if (more && !*more) break;
    // Rows that cannot be split were counted with the tasks.
    if (!more && strictness.lenient) continue;
    Result<void> done = more ? read_row(*csv, requests, history) : tl::unexpected(more.error());
    if (!done) done = bad_history_row(done.error().message, strictness, history);
    if (!done) return tl::unexpected(done.error());
  }
  history.sort_jobs();
  for (HistoricJob& one : history.jobs) one.number = &one - history.jobs.data() + 1;
  history.note("there are no tenants and no time limits in it");
  return history;
}

bool looks_like_openb_history(std::string_view text) {
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  return line.starts_with("name,cpu_milli,") &&
         line.find(",creation_time") != std::string_view::npos;
}

std::vector<model::GpuModel> openb_models() {
  auto nodes = read_openb_nodes("models", "sn,cpu_milli,memory_mib,gpu,model\n", {});
  return nodes ? std::move(nodes->value.gpu_models) : std::vector<model::GpuModel>{};
}

}  // namespace headroom::formats
