#include "formats/history_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/codecs.h"
#include "formats/job_codec.h"
#include "formats/message.h"
#include "formats/quantity.h"
#include "formats/slurm_values.h"
#include "formats/time.h"

namespace headroom::formats {

using base::Result;
using base::Time;
using model::HistoricJob;
using model::Outcome;

namespace {

constexpr std::int64_t kMostNumber = 1'000'000'000'000;

// 2026-11-30T12:00:00.250Z: with a fraction where there is one.
Codec<Time> instant() {
  Codec<Time> codec = point_in_time();
  const auto parse = [](std::string_view text) -> Result<Time> {
    const std::size_t point = text.find('.');
    if (point == std::string_view::npos) return parse_time(text);
    const std::size_t end = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
    std::string digits(text.substr(point + 1, end - point - 1));
    const bool fits = !digits.empty() && digits.size() <= 3;
    digits.resize(3, '0');
    const auto whole =
        parse_time(std::string(text.substr(0, point)) + std::string(text.substr(end)));
    if (!whole || !fits) {
      return base::fail(shown(text) + " is not a time (such as 2026-11-30T12:00:00.250Z)");
    }
    return *whole + base::Duration{std::stoi(digits)};
  };
  const auto print = [](const Time& time) {
    std::string text = print_time(time);
    const std::int64_t fraction = time.value() % 1000;
    if (fraction != 0) text.insert(text.size() - 1, fmt::format(".{:03}", fraction));
    return text;
  };
  return scalar<Time>(parse, print, codec.schema);
}

Codec<Outcome> outcome() {
  return choice<Outcome>({{"completed", Outcome::kCompleted},
                          {"failed", Outcome::kFailed},
                          {"cancelled", Outcome::kCancelled},
                          {"timed_out", Outcome::kTimedOut},
                          {"node_failed", Outcome::kNodeFailed},
                          {"preempted", Outcome::kPreempted},
                          {"out_of_memory", Outcome::kOutOfMemory},
                          {"rejected", Outcome::kRejected},
                          {"running", Outcome::kRunning},
                          {"waiting", Outcome::kWaiting},
                          {"held", Outcome::kHeld}});
}

void check_times(const HistoricJob& one, const Value& value, Context& context) {
  const auto check = [&](const char* key, Time earlier, Time later, const char* what) {
    if (later == Time{} || earlier == Time{} || later >= earlier) return;
    const Value* const found = value.find(key);
    context.problem_in(found == nullptr ? value : *found, fmt::format(".{}", key), what);
  };
  check("end", one.start, one.end, "it ends before it starts");
  check("start", one.submit, one.start, "it starts before it is submitted");
}

const Codec<HistoricJob>& happened_codec() {
  using Job = HistoricJob;
  static const Codec<Job> codec = object<Job>(
      {field("id", &Job::id, text(), "unique").needed(),
       field("number", &Job::number, whole_number(0, kMostNumber), "what `after` names").needed(),
       field("element", &Job::element, whole_number(-1, kMostNumber), "index in its array"),
       field("submit", &Job::submit, instant(), "when it was submitted").needed(),
       field("eligible", &Job::eligible, instant(), "when nothing but resources was missing"),
       field("start", &Job::start, instant(), "of the last attempt"),
       field("end", &Job::end, instant(), ""),
       field("ran", &Job::run, duration(), "how long a replay lets it run"),
       field("outcome", &Job::outcome, outcome(), "default: completed"),
       field("nodes", &Job::nodes, whole_number(0, kMostNumber), "that it had"),
       field("node_names", &Job::node_names, text(), "their pattern"),
       field("restarts", &Job::restarts, whole_number(0, kMostNumber), "attempts before the last"),
       field("account", &Job::account, text(), "Slurm's"),
       field("partition", &Job::partition, text(), "Slurm's"),
       field("qos", &Job::qos, text(), "Slurm's")},
      check_times);
  return codec;
}

bool is_happened_key(const std::string& key) {
  const std::vector<std::string>& keys = happened_keys();
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// A job is a row: its first problem, and how many more there are.
tl::unexpected<base::Error> in_one_line(std::string message) {
  const auto more = std::count(message.begin(), message.end(), '\n');
  message = message.substr(0, message.find('\n'));
  return base::fail(more == 0 ? message : fmt::format("{} (and {} more)", message, more));
}

void add_defaults(Value& happened, Value& job, std::int64_t position) {
  const auto add = [](Value& map, const char* key, Value value) {
    value.line = map.line;
    if (map.find(key) == nullptr) map.set(key, std::move(value));
  };
  add(happened, "id", Value::string(std::to_string(position)));
  const std::string id = happened.find("id")->text;
  const bool is_number = parse_integer(id, 0, kMostNumber).has_value();
  add(happened, "number", Value::plain(is_number ? id : "0"));
  add(job, "job", Value::string(clean_name(id, "job")));
}

}  // namespace

const std::vector<std::string>& happened_keys() {
  static const std::vector<std::string> keys{
      "id",      "number", "element",    "submit",   "eligible", "start",     "end", "ran",
      "outcome", "nodes",  "node_names", "restarts", "account",  "partition", "qos"};
  return keys;
}

Value write_historic_job(const HistoricJob& one) {
  Value value = happened_codec().write(one);
  Value job = job_codec().write(one.job);
  for (std::size_t i = 0; i < job.keys.size(); ++i) {
    value.set(job.keys[i], std::move(job.items[i]));
  }
  return value;
}

Result<HistoricJob> read_historic_job(const std::string& file, const Value& value,
                                      std::int64_t position, const Known& known) {
  Problems problems(file);
  Context context(problems, known);
  HistoricJob one;
  if (!expect_kind(value, context, Value::Kind::kMap)) return problems.error();
  Value happened = Value::map();
  Value job = Value::map();
  happened.line = job.line = value.line;
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    Value& part = is_happened_key(value.keys[i]) ? happened : job;
    part.keys.push_back(value.keys[i]);
    part.items.push_back(value.items[i]);
  }
  add_defaults(happened, job, position);
  happened_codec().read(happened, context, one);
  job_codec().read(job, context, one.job);
  if (!problems.empty()) return in_one_line(problems.error().value().message);
  if (happened.find("ran") == nullptr && one.start > Time{} && one.end > Time{}) {
    one.run = base::between(one.start, one.end);
  }
  return one;
}

Result<void> check_history(const std::string& file, const model::History& history) {
  std::set<std::string_view> seen;
  for (const HistoricJob& one : history.jobs) {
    if (seen.insert(one.id).second) continue;
    return base::fail(fmt::format("{}: id: {} is there twice", file, shown(one.id)));
  }
  const std::vector<std::int64_t> circle = model::dependency_cycle(history);
  if (circle.empty()) return {};
  std::string jobs;
  for (const std::int64_t number : circle) jobs += fmt::format("{}, ", number);
  jobs += std::to_string(circle.front());
  return base::fail(
      fmt::format("{}: after: jobs wait for each other in a circle: {}", file, shown(jobs)));
}

}  // namespace headroom::formats
