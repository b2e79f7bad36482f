#include "formats/batch_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/message.h"
#include "formats/names.h"
#include "formats/quantity.h"

namespace headroom::formats {

using base::Result;

namespace {

using Takes = BatchFlag::Takes;
using Apply = BatchFlag::Apply;

constexpr std::int64_t kMostNumber = 1'000'000;

template <class T>
Result<void> put(Result<T> value, T& into) {
  if (!value) return tl::unexpected(value.error());
  into = std::move(*value);
  return {};
}

Apply number(std::int64_t BatchRequest::* member) {
  return [member](BatchRequest& request, std::string_view value) {
    return put(parse_integer(value, 1, kMostNumber), request.*member);
  };
}

// "2", or "2-4" of which the fewest are taken.
Result<void> take_nodes(BatchRequest& request, std::string_view value) {
  return put(parse_integer(value.substr(0, value.find('-')), 1, kMostNumber), request.nodes);
}

// "8", "h100:8".
Apply gpus(std::int64_t BatchRequest::* member) {
  return [member](BatchRequest& request, std::string_view value) -> Result<void> {
    const auto read = parse_gres("gpu:" + std::string(value));
    if (!read) return tl::unexpected(read.error());
    if (read->size() != 1) return base::fail(shown(value) + ": one type of GPU is expected");
    request.*member = read->front().count;
    if (!read->front().type.empty()) request.gpu_type = read->front().type;
    return {};
  };
}

// "gpu:h100:8", "gres/gpu=8" of a node. What is no GPU is refused: it cannot be promised.
Result<void> take_gres(BatchRequest& request, std::string_view value) {
  std::string text(value);
  std::replace(text.begin(), text.end(), '=', ':');
  const auto read = parse_gres(text);
  if (!read) return tl::unexpected(read.error());
  if (read->size() != 1 || split_outside(text, ',').size() != 1) {
    return base::fail(shown(value) + ": only GPUs of one type can be asked for (gpu:h100:8)");
  }
  request.gpus_per_node = read->front().count;
  request.gpu_type = read->front().type;
  return {};
}

Apply memory(base::Bytes BatchRequest::* member) {
  return [member](BatchRequest& request, std::string_view value) -> Result<void> {
    const Result<SlurmMemory> read = parse_slurm_memory(value);
    if (!read) return tl::unexpected(read.error());
    if (read->amount.value() == 0) request.exclusive = true;  // "0": all of the node
    request.*member = read->amount;
    return {};
  };
}

Result<void> take_name(BatchRequest& request, std::string_view value) {
  request.job.job = clean_name(value, "job");
  if (request.job.job != value) request.job.name = clean_text(value);
  return {};
}

// Only the flag of the source that was chosen comes here.
Result<void> take_queue(BatchRequest& request, std::string_view value) {
  if (value.find(',') != std::string_view::npos) {
    return base::fail(shown(value) + ": one name is expected");
  }
  request.job.queue = value;
  return {};
}

Result<void> take_time(BatchRequest& request, std::string_view value) {
  const auto limit = parse_slurm_limit(value);
  if (!limit) return tl::unexpected(limit.error());
  request.job.time = limit->value_or(base::Duration{});
  return {};
}

// "0-99%10", "7". Lists and strides have no counterpart, and to run other elements than were asked
// for would be wrong.
Result<void> take_array(BatchRequest& request, std::string_view value) {
  const std::size_t percent = value.find('%');
  const Result<Range> range = parse_range(value.substr(0, percent));
  if (!range) return base::fail(shown(value) + " is not a range (such as 0-99 or 0-99%10)");
  model::ArraySpec array{.first = range->first, .last = range->last};
  if (percent != std::string_view::npos) {
    const auto most = parse_integer(value.substr(percent + 1), 1, kMostNumber);
    if (!most) return tl::unexpected(most.error());
    array.most_running = *most;
  }
  request.job.array = array;
  return {};
}

Result<void> take_dependency(BatchRequest& request, std::string_view value) {
  std::vector<std::string> ignored;
  if (value.find_first_of("?_+") == std::string_view::npos &&
      value.find("aftercorr") == std::string_view::npos) {
    request.job.after = parse_slurm_dependencies(value, ignored);
    if (ignored.empty()) return {};
  }
  return base::fail(shown(value) +
                    ": only after, afterok, afternotok and afterany of whole jobs, all of them");
}

// "2026-11-30T20:00", "now", "now+2hours", "now+90".
Apply point(base::Time model::Job::* member) {
  return [member](BatchRequest& request, std::string_view value) -> Result<void> {
    if (!value.starts_with("now")) {
      const auto time = parse_slurm_time(value, request.zone);
      if (time && *time) {
        request.job.*member = **time;
        return {};
      }
      return base::fail(shown(value) + " is not a time (such as 2026-11-30T20:00 or now+2hours)");
    }
    request.job.*member = request.now;
    value.remove_prefix(3);
    if (value.empty()) return {};
    const std::size_t digits = std::min(value.find_first_not_of("0123456789", 1), value.size());
    const std::string_view unit = value.substr(digits);
    const auto count = parse_integer(value.substr(1, digits - 1), 0, kMostNumber);
    static const std::vector<std::pair<std::string_view, std::int64_t>> units{
        {"", 1},          {"second", 1},     {"seconds", 1},    {"minute", 60},
        {"minutes", 60},  {"hour", 3600},    {"hours", 3600},   {"day", 86'400},
        {"days", 86'400}, {"week", 604'800}, {"weeks", 604'800}};
    for (const auto& [word, seconds] : units) {
      if (!count || value[0] != '+' || unit != word) continue;
      request.job.*member = request.now + base::Duration{*count * seconds * 1000};
      return {};
    }
    return base::fail(shown(value) + ": after now comes + and a number of minutes, hours or days");
  };
}

// "ALL,A=1,B=2": the variables with a value. ALL and NONE make no difference here.
Result<void> take_export(BatchRequest& request, std::string_view value) {
  for (const std::string_view one : split_outside(value, ',')) {
    const std::size_t equals = one.find('=');
    if (one == "ALL" || one == "NONE" || one == "NIL") continue;
    if (equals == std::string_view::npos || equals == 0) {
      return base::fail(shown(one) + ": NAME=VALUE is expected");
    }
    request.job.env.emplace_back(one.substr(0, equals), one.substr(equals + 1));
  }
  std::sort(request.job.env.begin(), request.job.env.end());
  return {};
}

Result<void> take_nice(BatchRequest& request, std::string_view value) {
  if (value.empty()) value = "100";  // sbatch's own default
  const auto nice = parse_integer(value, -kMostNumber, kMostNumber);
  if (!nice) return tl::unexpected(nice.error());
  request.job.priority = -*nice;
  return {};
}

Result<void> take_switches(BatchRequest& request, std::string_view value) {
  if (value.substr(0, value.find('@')) != "1") {
    return base::fail(shown(value) + ": only one switch can be asked for");
  }
  request.job.topology = model::TopologySpec{.preferred = model::Level::kLeaf};
  return {};
}

Apply text(std::string model::Job::* member) {
  return [member](BatchRequest& request, std::string_view value) -> Result<void> {
    request.job.*member = clean_text(value);
    return {};
  };
}

std::vector<BatchFlag> make_flags() {
  using R = BatchRequest;
  constexpr Takes kValue = Takes::kValue;
  constexpr Takes kMaybe = Takes::kMaybe;
  constexpr Takes kNothing = Takes::kNothing;
  const auto hold = [](R& request, std::string_view) -> Result<void> {
    request.job.hold = true;
    return {};
  };
  const auto exclusive = [](R& request, std::string_view) -> Result<void> {
    request.exclusive = true;
    return {};
  };
  const auto priority = [](R& request, std::string_view value) -> Result<void> {
    return put(parse_integer(value, -kMostNumber, kMostNumber), request.job.priority);
  };
  return {
      {'J', "job-name", kValue, {"job", "name"}, take_name},
      {'A', "account", kValue, {"queue"}, take_queue},
      {'p', "partition", kValue, {"queue"}, take_queue},
      {'q', "qos", kValue, {"queue"}, take_queue},
      {'N', "nodes", kValue, {"tasks"}, take_nodes},
      {'n', "ntasks", kValue, {"cpus"}, number(&R::tasks)},
      {0, "ntasks-per-node", kValue, {"cpus"}, number(&R::tasks_per_node)},
      {'c', "cpus-per-task", kValue, {"cpus"}, number(&R::cpus_per_task)},
      {0, "cpus-per-gpu", kValue, {"cpus"}, number(&R::cpus_per_gpu)},
      {'G', "gpus", kValue, {"gpus", "gpu_model"}, gpus(&R::gpus)},
      {0, "gpus-per-node", kValue, {"gpus", "gpu_model"}, gpus(&R::gpus_per_node)},
      {0, "gpus-per-task", kValue, {"gpus", "gpu_model"}, gpus(&R::gpus_per_task)},
      {0, "gres", kValue, {"gpus", "gpu_model"}, take_gres},
      {0, "mem", kValue, {"memory", "exclusive"}, memory(&R::memory_per_node)},
      {0, "mem-per-cpu", kValue, {"memory"}, memory(&R::memory_per_cpu)},
      {0, "mem-per-gpu", kValue, {"memory"}, memory(&R::memory_per_gpu)},
      {0, "exclusive", kMaybe, {"exclusive"}, exclusive},
      {'t', "time", kValue, {"time"}, take_time},
      {'a', "array", kValue, {"array"}, take_array},
      {'d', "dependency", kValue, {"after"}, take_dependency},
      {'b', "begin", kValue, {"begin"}, point(&model::Job::begin)},
      {0, "deadline", kValue, {"deadline"}, point(&model::Job::deadline)},
      {'H', "hold", kNothing, {"hold"}, hold},
      {0, "priority", kValue, {"priority"}, priority},
      {0, "nice", kMaybe, {"priority"}, take_nice},
      {0, "switches", kValue, {"topology"}, take_switches},
      {'D', "chdir", kValue, {"workdir"}, text(&model::Job::workdir)},
      {'o', "output", kValue, {"output"}, text(&model::Job::output)},
      {0, "export", kValue, {"env"}, take_export},

      {'e', "error", kValue, {}, {}, "what a job prints is kept in one log"},
      {0, "open-mode", kValue, {}, {}, "output files are added to"},
      {'w', "nodelist", kValue, {}, {}, "nodes are chosen by what they have: #HR labels: {…}"},
      {'x', "exclude", kValue, {}, {}, "nodes are chosen by what they have: #HR labels: {…}"},
      {'C', "constraint", kValue, {}, {}, "features are labels here: #HR labels: {…}"},
      {0, "reservation", kValue, {}, {}, "a reservation admits the jobs of its queue"},
      {'L', "licenses", kValue, {}, {}, "licences are not counted"},
      {0, "signal", kValue, {}, {}, "#HR checkpoint: {every: 30min, signal: USR1@120s}"},
      {0, "requeue", kNothing, {}, {}, "a job whose node is lost always goes back to waiting"},
      {0, "no-requeue", kNothing, {}, {}, "a job whose node is lost always goes back to waiting"},
      {0, "mail-type", kValue, {}, {}, "mail is not sent"},
      {0, "mail-user", kValue, {}, {}, "mail is not sent"},
      {0, "comment", kValue, {}, {}, "it is not kept"},
      {0, "wckey", kValue, {}, {}, "it is not kept"},
      {0, "get-user-env", kMaybe, {}, {}, "variables are given one by one"},
      {0, "propagate", kMaybe, {}, {}, "limits are those of the job"},
      {0, "gpu-bind", kValue, {}, {}, "a task sees its own GPUs alone"},
      {0, "cpu-freq", kValue, {}, {}, "frequencies are not set"},
      {0, "hint", kValue, {}, {}, "cores are not bound"},
      {0, "distribution", kValue, {}, {}, "there is one task on a node"},
      {'m', "", kValue, {}, {}, "there is one task on a node"},
      {0, "threads-per-core", kValue, {}, {}, "cores are what the node says they are"},
      {0, "ntasks-per-socket", kValue, {}, {}, "sockets are not told apart"},
      {0, "ntasks-per-core", kValue, {}, {}, "there is one task on a node"},
      {0, "gpus-per-socket", kValue, {}, {}, "sockets are not told apart"},
      {0, "sockets-per-node", kValue, {}, {}, "sockets are not told apart"},
      {0, "time-min", kValue, {}, {}, "the limit is not shortened"},
      {0, "parsable", kNothing, {}, {}, "headroom submit --parsable"},
      {'W', "wait", kNothing, {}, {}, "headroom run waits for the job"},
      {'v', "verbose", kNothing, {}, {}, "it says nothing about the job"},
      {'Q', "quiet", kNothing, {}, {}, "it says nothing about the job"},
      {0, "overcommit", kNothing, {}, {}, "cores are not shared"},
      {'O', "", kNothing, {}, {}, "cores are not shared"},
      {'s', "oversubscribe", kNothing, {}, {}, "GPUs and cores are not shared"},
      {'k', "no-kill", kMaybe, {}, {}, "#HR gang: N is the fewest tasks that may run"},
  };
}

}  // namespace

const std::vector<BatchFlag>& batch_flags() {
  static const std::vector<BatchFlag> flags = make_flags();
  return flags;
}

bool is_dropped(const BatchFlag& flag, QueueSource source) {
  if (flag.name == "account") return source != QueueSource::kAccount;
  if (flag.name == "partition") return source != QueueSource::kPartition;
  if (flag.name == "qos") return source != QueueSource::kQos;
  return !flag.apply;
}

}  // namespace headroom::formats
