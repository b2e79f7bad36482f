#include "formats/swf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "formats/message.h"
#include "formats/quantity.h"
#include "formats/text_rows.h"

namespace headroom::formats {

using base::Duration;
using base::Result;
using base::Time;
using model::HistoricJob;
using model::History;
using model::Outcome;

namespace {

constexpr std::size_t kFields = 18;
enum Field : std::size_t {
  kJob,
  kSubmit,
  kWait,
  kRun,
  kProcessors,
  kCpuTime,
  kMemory,
  kAsked,
  kAskedTime,
  kAskedMemory,
  kStatus,
  kUser,
  kGroup,
  kProgram,
  kQueue,
  kPartition,
  kAfter,
  kThink
};
constexpr std::array<const char*, kFields> kNames{
    "job number", "submit time",      "wait time",  "run time",     "processors",    "CPU time",
    "memory",     "processors asked", "time asked", "memory asked", "status",        "user",
    "group",      "program",          "queue",      "partition",    "preceding job", "think time"};
using Row = std::array<std::int64_t, kFields>;

constexpr std::int64_t kMostSeconds = 100'000'000'000;
constexpr std::int64_t kMostProcessors = 1'000'000;
constexpr std::int64_t kGpusOfANode = 8;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(" \t"); at < line.size();
       at = line.find_first_not_of(" \t", at)) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

Result<Row> read_row(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() != kFields) {
    return base::fail(fmt::format("the row has {} fields, not {}", words.size(), kFields));
  }
  Row row{};
  for (std::size_t i = 0; i < kFields; ++i) {
    // Averages may have decimals (CPU time, memory): the seconds are enough.
    const bool is_average = i == kCpuTime || i == kMemory;
    const std::string_view word = is_average ? words[i].substr(0, words[i].find('.')) : words[i];
    const std::int64_t low = i == kJob ? 1 : -1;
    const auto value = parse_integer(word == "-0" ? "0" : word, low, kMostSeconds);
    if (!value) return base::fail(fmt::format("{}: {}", kNames[i], value.error().message));
    row[i] = *value;
  }
  if (row[kSubmit] < 0) return base::fail("submit time: -1 is not in 0..100000000000");
  return row;
}

Outcome outcome_of(std::int64_t status) {
  if (status == 0) return Outcome::kFailed;
  if (status == 5) return Outcome::kCancelled;
  return Outcome::kCompleted;
}

void set_processors(const Row& row, bool are_gpus, model::TaskGroup& group) {
  const std::int64_t count = row[kAsked] > 0 ? row[kAsked] : row[kProcessors];
  const std::int64_t kilobytes =
      std::min(std::max(row[kAskedMemory], std::int64_t{0}), std::int64_t{1} << 33);
  if (!are_gpus) {
    group.tasks = count;
    group.request.cpu = base::CpuMilli{1000};
    group.request.memory = base::Bytes{kilobytes << 10};
    return;
  }
  const bool fits = count <= kGpusOfANode;
  const std::int64_t each = fits ? count : (count % kGpusOfANode == 0 ? kGpusOfANode : 1);
  group.tasks = count / each;
  group.request.gpu = model::GpuRequest::whole(static_cast<int>(each));
  group.request.memory = base::Bytes{(kilobytes << 10) * each};
}

HistoricJob job_of(const Row& row, Time zero, bool are_gpus) {
  HistoricJob one;
  one.id = std::to_string(row[kJob]);
  one.number = row[kJob];
  one.submit = zero + Duration{row[kSubmit] * 1000};
  one.outcome = outcome_of(row[kStatus]);
  if (row[kRun] >= 0) {
    one.run = Duration{row[kRun] * 1000};
    if (row[kWait] >= 0) {
      one.start = one.submit + Duration{row[kWait] * 1000};
      one.end = one.start + one.run;
    }
  }
  const auto named = [](const char* what, std::int64_t number) {
    return number < 0 ? std::string() : fmt::format("{}{}", what, number);
  };
  one.job.job = row[kProgram] < 0 ? "job" : named("program", row[kProgram]);
  one.job.user = named("user", row[kUser]);
  one.job.queue = row[kQueue] < 0 ? "default" : named("queue", row[kQueue]);
  one.account = named("group", row[kGroup]);
  one.partition = named("partition", row[kPartition]);
  one.job.time = Duration{std::max(row[kAskedTime], std::int64_t{0}) * 1000};
  if (row[kAfter] > 0) {
    one.job.after.push_back({.kind = model::Dependency::Kind::kAny, .job = row[kAfter]});
  }
  set_processors(row, are_gpus, one.job.groups[0]);
  return one;
}

// "; UnixStartTime: 1109618842"
void read_comment(std::string_view line, Time& zero) {
  const std::string_view key = "UnixStartTime:";
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return;
  const auto words = words_of(line.substr(at + key.size()));
  if (words.empty()) return;
  const auto seconds = parse_integer(words[0], 0, kMostSeconds);
  if (seconds) zero = Time{*seconds * 1000};
}

}  // namespace

Result<History> read_swf(const std::string& name, std::string_view text,
                         const HistoryOptions& options) {
  History history;
  history.format = "swf";
  Time zero;
  std::set<std::int64_t> seen;
  const auto parse = [&](std::string_view line, int) -> Result<void> {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    if (line[first] == ';') {
      read_comment(line, zero);
      return {};
    }
    const Result<Row> row = read_row(line);
    if (!row) return tl::unexpected(row.error());
    const std::int64_t processors = (*row)[kAsked] > 0 ? (*row)[kAsked] : (*row)[kProcessors];
    if (processors <= 0) {
      history.leave_out("the job has no number of processors");
      return {};
    }
    if (processors > kMostProcessors) {
      return base::fail(fmt::format("processors: {} is not in 1..{}", processors, kMostProcessors));
    }
    // Status 2 and 3 are parts of a job that has a row of its own.
    if ((*row)[kStatus] == 2 || (*row)[kStatus] == 3 || (*row)[kStatus] == 4) {
      history.leave_out("the row is a part of a job that was swapped out");
      return {};
    }
    if (!seen.insert((*row)[kJob]).second) {
      return base::fail(fmt::format("job number: {} is there twice", (*row)[kJob]));
    }
    history.jobs.push_back(job_of(*row, zero, options.processors_are_gpus));
    return {};
  };
  const auto done = for_each_line(name, text, options.strictness, history, parse);
  if (!done) return tl::unexpected(done.error());
  history.sort_jobs();
  if (const std::int64_t dropped = model::drop_dependency_circles(history); dropped > 0) {
    history.note(fmt::format("preceding jobs in a circle are left out: {} jobs", dropped));
  }
  history.note(options.processors_are_gpus
                   ? "processors are taken as GPUs, up to 8 in one task"
                   : "processors are taken as CPUs, each a task of its own");
  return history;
}

bool looks_like_swf(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  if (text[first] == ';') return true;
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  return words_of(line).size() == kFields && read_row(line).has_value();
}

}  // namespace headroom::formats
