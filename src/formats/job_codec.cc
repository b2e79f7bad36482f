#include "formats/job_codec.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/codecs.h"
#include "formats/job_check.h"
#include "formats/message.h"
#include "formats/names.h"
#include "formats/quantity.h"
#include "formats/request_codec.h"

namespace headroom::formats {

using base::Result;
using namespace model;  // NOLINT: this file is a table of the model's members

namespace {

constexpr std::int64_t kMostTasks = 1'000'000;
constexpr std::int64_t kMostJobs = 1'000'000'000'000;
constexpr std::int64_t kMostPriority = 1'000'000;

// USR1@120s
Codec<SignalSpec> signal_codec() {
  const auto parse = [](std::string_view text) -> Result<SignalSpec> {
    const std::size_t at = text.find('@');
    const std::string_view name = text.substr(0, at);
    const auto is_capital = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
    if (name.empty() || name.size() > 16 || !std::all_of(name.begin(), name.end(), is_capital)) {
      return base::fail(shown(text) + " is not a signal (such as USR1@120s)");
    }
    SignalSpec signal{.name = std::string(name)};
    if (at == std::string_view::npos) return signal;
    const Result<base::Duration> before = parse_duration(text.substr(at + 1));
    if (!before) return tl::unexpected(before.error());
    signal.before = *before;
    return signal;
  };
  const auto print = [](const SignalSpec& signal) {
    if (signal.before.value() == 0) return signal.name;
    return signal.name + "@" + print_duration(signal.before);
  };
  return scalar<SignalSpec>(parse, print, string_schema("^[A-Z0-9]{1,16}(@.+)?$"));
}

// ok:1041
Codec<Dependency> dependency_codec() {
  using Kind = Dependency::Kind;
  static const std::vector<std::pair<std::string, Kind>> kinds{{"ok", Kind::kOk},
                                                               {"any", Kind::kAny},
                                                               {"failed", Kind::kFailed},
                                                               {"started", Kind::kStarted}};
  const auto parse = [](std::string_view text) -> Result<Dependency> {
    const std::size_t colon = text.find(':');
    const Result<std::int64_t> job =
        parse_integer(colon == std::string_view::npos ? "" : text.substr(colon + 1), 1, kMostJobs);
    for (const auto& [word, kind] : kinds) {
      if (job && text.substr(0, colon) == word) return Dependency{.kind = kind, .job = *job};
    }
    return base::fail(shown(text) +
                      " is not ok:, any:, failed: or started: and the number of a job");
  };
  const auto print = [](const Dependency& one) {
    return kinds[static_cast<std::size_t>(one.kind)].first + ":" + std::to_string(one.job);
  };
  return scalar<Dependency>(parse, print, string_schema("^(ok|any|failed|started):[1-9][0-9]*$"));
}

// 0-999%50
Codec<ArraySpec> array_codec() {
  const auto parse = [](std::string_view text) -> Result<ArraySpec> {
    const std::size_t percent = text.find('%');
    const Result<Range> range = parse_range(text.substr(0, percent));
    if (!range) return tl::unexpected(range.error());
    if (range->last - range->first >= kMostTasks) {
      return base::fail(fmt::format("{} has more than {} elements", shown(text), kMostTasks));
    }
    ArraySpec array{.first = range->first, .last = range->last};
    if (percent == std::string_view::npos) return array;
    const auto most = parse_integer(text.substr(percent + 1), 1, kMostTasks);
    if (!most) return tl::unexpected(most.error());
    array.most_running = *most;
    return array;
  };
  const auto print = [](const ArraySpec& array) {
    std::string text = fmt::format("{}-{}", array.first, array.last);
    return array.most_running == 0 ? text : fmt::format("{}%{}", text, array.most_running);
  };
  return scalar<ArraySpec>(
      parse, print,
      any_of({string_schema("^[0-9]+(-[0-9]+)?(%[0-9]+)?$"), integer_schema(0, kMostTasks)}));
}

Codec<CheckpointSpec> checkpoint_codec() {
  using Spec = CheckpointSpec;
  return object<Spec>({field("every", &Spec::every, duration(), "").needed(),
                       field("size", &Spec::size, bytes(), "of all tasks together"),
                       field("signal", &Spec::signal, signal_codec(),
                             "sent so long before the tasks must end: USR1@120s")});
}

Codec<TopologySpec> topology_codec() {
  using Spec = TopologySpec;
  return object<Spec>(
      {field("required", &Spec::required, level(), "all tasks in one domain of this level"),
       field("preferred", &Spec::preferred, level(), "as few domains of this level as possible"),
       field("segment", &Spec::segment, whole_number(1, kMostTasks),
             "so many tasks stay in one domain together")});
}

Codec<ElasticSpec> elastic_codec() {
  const Codec<std::int64_t> tasks = whole_number(1, kMostTasks);
  return object<ElasticSpec>({field("min", &ElasticSpec::min, tasks, "tasks").needed(),
                              field("max", &ElasticSpec::max, tasks, "tasks").needed()});
}

Codec<DataSpec> data_codec() {
  return object<DataSpec>(
      {field("storage", &DataSpec::storage, name(), "a storage system of the cluster").needed(),
       field("read", &DataSpec::read_per_step, bytes_per_step(), "by all tasks: 1.6GB/step")});
}

bool is_short(const Job& job) { return job.groups.size() == 1 && job.groups.front().name.empty(); }

void append(std::vector<Field<Job>>& fields, std::vector<Field<Job>> more) {
  std::move(more.begin(), more.end(), std::back_inserter(fields));
}

// What the job is and where it belongs.
std::vector<Field<Job>> identity_fields() {
  return {field("job", &Job::job, name(), "short name").needed(),
          field("name", &Job::name, line(), "to show instead of the short name"),
          field("queue", &Job::queue, line(), "full path; default: the user's"),
          field("user", &Job::user, name(), "default: who submits"),
          field("kind", &Job::kind,
                choice<JobKind>({{"training", JobKind::kTraining},
                                 {"fine-tuning", JobKind::kFineTuning},
                                 {"batch", JobKind::kBatch},
                                 {"service", JobKind::kService},
                                 {"workspace", JobKind::kWorkspace}}),
                "default: batch"),
          field("model", &Job::model, line(), "what is trained or served")};
}

// Its tasks, in the short form or in groups.
std::vector<Field<Job>> task_fields() {
  const auto first = [](auto& job) -> auto& { return job.groups.front().request; };
  std::vector<Field<Job>> fields;
  fields.push_back(field_at<Job>(
      "tasks", [](auto& job) -> auto& { return job.groups.front().tasks; },
      whole_number(1, kMostTasks), "equal tasks; default: 1"));
  append(fields, request_fields<Job>(first));
  for (Field<Job>& one : fields) one = std::move(one).written_if(is_short);
  Field<Job> groups =
      field("groups", &Job::groups, list_of(group_codec()), "instead: groups of equal tasks");
  groups.read = [](const Value& value, Context& context, Job& job) {
    std::vector<TaskGroup> read;
    list_of(group_codec()).read(value, context, read);
    if (!read.empty()) job.groups = std::move(read);
  };
  fields.push_back(std::move(groups).written_if([](const Job& job) { return !is_short(job); }));
  return fields;
}

// How it may run.
std::vector<Field<Job>> policy_fields() {
  const Codec<std::int64_t> tasks = whole_number(1, kMostTasks);
  return {
      field("gang", &Job::gang, tasks, "fewest tasks that may run; default: all"),
      field("elastic", &Job::elastic, elastic_codec(), "tasks that it can grow to and shrink to"),
      field("array", &Job::array, array_codec(), "0-999%50: that many jobs, 50 at a time"),
      field("priority", &Job::priority, whole_number(-kMostPriority, kMostPriority), ""),
      field("preemptible", &Job::preemptible, yes_or_no(),
            "default: training, fine-tuning and batch are"),
      field("time", &Job::time, duration(), "limit"),
      field("expected", &Job::expected, duration(), "duration"),
      field("begin", &Job::begin, point_in_time(), "not before"),
      field("deadline", &Job::deadline, point_in_time(), ""),
      field("after", &Job::after, list_of(dependency_codec()), "jobs to wait for: ok:1041"),
      field("retries", &Job::retries, whole_number(0, 1000), "after a failure"),
      field("restart_cost", &Job::restart_cost, duration(), "lost at every restart"),
      field("hold", &Job::hold, yes_or_no(), "do not start before it is released"),
      field("checkpoint", &Job::checkpoint, checkpoint_codec(), ""),
      field("topology", &Job::topology, topology_codec(), "where its tasks should be"),
      field("data", &Job::data, data_codec(), "what it reads")};
}

// What is run.
std::vector<Field<Job>> program_fields() {
  return {field("env", &Job::env, environment(), "environment"),
          field("workdir", &Job::workdir, line(), "working folder"),
          field("output", &Job::output, line(), "file for what it prints"),
          field("run", &Job::run, command(), "command")};
}

}  // namespace

const Codec<TaskGroup>& group_codec() {
  static const Codec<TaskGroup> codec = [] {
    const auto request = [](auto& group) -> auto& { return group.request; };
    std::vector<Field<TaskGroup>> fields{
        field("name", &TaskGroup::name, name(), "").needed(),
        field("tasks", &TaskGroup::tasks, whole_number(1, kMostTasks), "equal tasks; default: 1")};
    for (Field<TaskGroup>& one : request_fields<TaskGroup>(request)) {
      fields.push_back(std::move(one));
    }
    return object<TaskGroup>(std::move(fields),
                             [](TaskGroup& group, const Value& value, Context& context) {
                               check_request(group.request, value, context);
                             });
  }();
  return codec;
}

const Codec<Job>& job_codec() {
  static const Codec<Job> codec = [] {
    std::vector<Field<Job>> fields = identity_fields();
    append(fields, task_fields());
    append(fields, policy_fields());
    append(fields, program_fields());
    return object<Job>(std::move(fields), check_job);
  }();
  return codec;
}

}  // namespace headroom::formats
