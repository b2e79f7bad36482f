#include "formats/gavel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "formats/file.h"
#include "formats/json_parser.h"
#include "formats/message.h"
#include "formats/quantity.h"
#include "formats/text_rows.h"
#include "formats/utf8.h"

namespace headroom::formats {

using base::Result;
using model::HistoricJob;
using model::History;

namespace {

constexpr std::size_t kColumns = 7;
enum Column : std::size_t { kType, kCommand, kOption, kNeedsData, kSteps, kArrival, kGpus };
using Fields = std::array<std::string_view, kColumns>;

constexpr std::int64_t kMostSteps = 1'000'000'000'000;
constexpr double kLatestArrival = 1e10;     // seconds: some 300 years
constexpr double kLongestRun = 1e10;        // seconds
constexpr std::int64_t kMostGpus = 16'384;  // of a job

Result<double> parse_decimal(std::string_view text, double low, double high) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (whole && value >= low && value <= high) return value;
  return base::fail(fmt::format("{} is not a number in {}..{}", shown(text), low, high));
}

Result<Fields> split(std::string_view line) {
  Fields fields;
  std::size_t count = 0;
  for (std::size_t at = 0; at <= line.size(); ++count) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    if (count < kColumns) fields[count] = line.substr(at, end - at);
    at = end + 1;
  }
  if (count == kColumns) return fields;
  return base::fail(fmt::format("the row has {} tab-separated fields, not {}", count, kColumns));
}

struct GavelRow {
  std::string type;
  std::string command;
  std::int64_t steps = 0;
  double arrival = 0;
  std::int64_t gpus = 0;
};

Result<GavelRow> read_row(std::string_view line) {
  if (find_bad_text(line) != std::string_view::npos) {
    return base::fail("there are bytes that are not UTF-8 text");
  }
  const Result<Fields> fields = split(line);
  if (!fields) return tl::unexpected(fields.error());
  const auto in = [](const char* column, const base::Error& error) {
    return base::fail(fmt::format("{}: {}", column, error.message));
  };
  if ((*fields)[kType].empty()) return base::fail("job type: it is empty");
  const auto steps = parse_integer((*fields)[kSteps], 1, kMostSteps);
  if (!steps) return in("steps", steps.error());
  const auto arrival = parse_decimal((*fields)[kArrival], 0, kLatestArrival);
  if (!arrival) return in("arrival", arrival.error());
  const auto gpus = parse_integer((*fields)[kGpus], 1, kMostGpus);
  if (!gpus) return in("GPUs", gpus.error());
  return GavelRow{.type = std::string((*fields)[kType]),
                  .command = std::string((*fields)[kCommand]),
                  .steps = *steps,
                  .arrival = *arrival,
                  .gpus = *gpus};
}

base::Duration milliseconds(double seconds) {
  return base::Duration{static_cast<std::int64_t>(std::llround(seconds * 1000))};
}

HistoricJob job_of(const GavelRow& row, const std::string& tenant, int line, double run_seconds) {
  HistoricJob one;
  one.job.job = fmt::format("{}-{}", tenant, line);
  one.job.name = row.type;
  one.job.queue = tenant;
  one.job.user = tenant;
  one.job.kind = model::JobKind::kTraining;
  one.job.model = row.type;
  one.job.run = row.command;
  one.job.groups[0].request.gpu = model::GpuRequest::whole(static_cast<int>(row.gpus));
  one.submit = base::Time{} + milliseconds(row.arrival);
  one.run = std::max(milliseconds(run_seconds), base::Duration{1});
  return one;
}

Result<std::vector<std::filesystem::path>> tenant_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (entries->path().extension() == ".trace") files.push_back(entries->path());
  }
  if (error) return base::fail(fmt::format("{}: {}", folder, error.message()));
  if (files.empty()) return base::fail(folder + ": there is no file of a tenant (*.trace) in it");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<GavelThroughputs> read_gavel_throughputs(const std::string& name, const std::string& text) {
  const Result<Value> tree = parse_json(name, text);
  if (!tree) return tl::unexpected(tree.error());
  const Value* const v100 = tree->find("v100");
  if (v100 == nullptr || !v100->is_map()) {
    return base::fail(fmt::format("{}:{}: v100: the throughputs on that GPU are missing", name,
                                  std::max(tree->line, 1)));
  }
  GavelThroughputs throughputs;
  for (std::size_t i = 0; i < v100->keys.size(); ++i) {
    const Value* const alone = v100->items[i].find("null");
    if (alone == nullptr) continue;
    const auto rate = parse_decimal(alone->text, 0, 1e9);
    if (!rate) {
      return base::fail(fmt::format("{}:{}: v100.{}.null: {}", name, alone->line,
                                    shown(v100->keys[i]), rate.error().message));
    }
    if (*rate > 0) throughputs.emplace(v100->keys[i], *rate);
  }
  return throughputs;
}

Result<void> read_gavel_tenant(const std::string& name, const std::string& text,
                               const GavelThroughputs& throughputs, Strictness strictness,
                               History& history) {
  const std::string tenant = std::filesystem::path(name).stem().string();
  const auto parse = [&](std::string_view line, int number) -> Result<void> {
    const Result<GavelRow> row = read_row(line);
    if (!row) return tl::unexpected(row.error());
    const auto rate = throughputs.find(fmt::format("('{}', {})", row->type, row->gpus));
    if (rate == throughputs.end()) {
      history.leave_out("no throughput was measured for the job type on so many V100s");
      return {};
    }
    const double seconds = static_cast<double>(row->steps) / rate->second;
    if (seconds > kLongestRun) {
      return base::fail(fmt::format("steps: {} take more than 300 years", row->steps));
    }
    history.jobs.push_back(job_of(*row, tenant, number, seconds));
    return {};
  };
  return for_each_line(name, text, strictness, history, parse);
}

Result<History> read_gavel(const std::string& folder, Strictness strictness) {
  const auto files = tenant_files(folder);
  if (!files) return tl::unexpected(files.error());
  const std::filesystem::path beside = std::filesystem::path(folder) / "..";
  const std::string rates = (beside / "simulation_throughputs.json").lexically_normal().string();
  const auto rates_text = read_file(rates, kLargestCsv);
  if (!rates_text) return tl::unexpected(rates_text.error());
  const auto throughputs = read_gavel_throughputs(rates, *rates_text);
  if (!throughputs) return tl::unexpected(throughputs.error());

  History history;
  history.format = "gavel";
  for (const std::filesystem::path& file : *files) {
    const auto text = read_file(file.string(), kLargestCsv);
    if (!text) return tl::unexpected(text.error());
    const auto done = read_gavel_tenant(file.string(), *text, *throughputs, strictness, history);
    if (!done) return tl::unexpected(done.error());
  }
  history.sort_jobs();
  for (HistoricJob& one : history.jobs) {
    one.number = &one - history.jobs.data() + 1;
    one.id = std::to_string(one.number);
  }
  history.note("run times are steps divided by the measured throughput on V100 GPUs");
  history.note("there are no CPUs, memory, time limits or outcomes in it: every job completes");
  return history;
}

}  // namespace headroom::formats
