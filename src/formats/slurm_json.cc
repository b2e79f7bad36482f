#include "formats/slurm_json.h"

#include <fmt/format.h>

#include <charconv>

#include "formats/json_parser.h"
#include "formats/message.h"
#include "formats/utf8.h"

namespace headroom::formats {

using base::Duration;
using base::Result;
using base::Time;

namespace {

constexpr std::int64_t kLatest = 253'402'300'799;  // seconds: the end of the year 9999

// Reads the members of one job; remembers the first thing that is wrong.
class JobReader {
 public:
  explicit JobReader(const Value& job) : job_(job) {}

  Result<SlurmJob> read(const std::string& file) {
    SlurmJob job;
    job.place = fmt::format("{}:{}", file, job_.line);
    if (!job_.is_map()) return base::fail(job.place + ": a job is expected, not a single value");
    read_words(job);
    const bool accounting = job_.find("time") != nullptr;
    if (accounting) {
      read_accounting(job);
    } else {
      read_controller(job);
    }
    if (problem_.empty()) return job;
    return base::fail(fmt::format("{}: {}", job.place, problem_));
  }

 private:
  const Value* at(std::initializer_list<const char*> path) const {
    const Value* value = &job_;
    for (const char* key : path) {
      value = value == nullptr ? nullptr : value->find(key);
    }
    return value;
  }
  std::int64_t number(std::initializer_list<const char*> path) const {
    return slurm_number(at(path));
  }
  std::string text(std::initializer_list<const char*> path) const { return slurm_text(at(path)); }

  template <class T>
  void keep(const char* key, Result<T> value, T& into) {
    if (value) {
      into = std::move(*value);
    } else if (problem_.empty()) {
      problem_ = fmt::format("{}: {}", key, value.error().message);
    }
  }

  static std::optional<Time> time_of(std::int64_t seconds) {
    if (seconds <= 0 || seconds > kLatest) return std::nullopt;
    return Time{seconds * 1000};
  }
  static std::optional<Duration> limit_of(std::int64_t minutes) {
    if (minutes <= 0 || minutes > kLatest / 60) return std::nullopt;
    return Duration{minutes * 60'000};
  }
  // Some versions write counts that are not set as 0xfffffffe and the like.
  static std::int64_t count_of(std::int64_t count) {
    return count > 0 && count < 0xffff'fff0 ? count : 0;
  }

  void read_words(SlurmJob& job) {
    const auto word = [&](std::initializer_list<const char*> path, std::string& into) {
      const std::string found = text(path);
      if (into.empty() && !is_nothing(found)) {
        job.has_bad_text = job.has_bad_text || find_bad_text(found) != std::string_view::npos;
        into = clean_text(found);
      }
    };
    word({"name"}, job.name);
    word({"user"}, job.user);
    word({"user_name"}, job.user);
    word({"association", "user"}, job.user);
    word({"account"}, job.account);
    word({"partition"}, job.partition);
    word({"qos"}, job.qos);
    word({"cluster"}, job.cluster);
    word({"nodes"}, job.node_names);
    word({"submit_line"}, job.submit_line);
    word({"dependency"}, job.after);
    job.restarts = count_of(number({"restart_cnt"}));
  }

  void read_id(SlurmJob& job, std::int64_t array, std::int64_t element, const std::string& waiting,
               std::int64_t whole, std::int64_t part) {
    const std::int64_t own = number({"job_id"});
    std::string id = std::to_string(own);
    if (array > 0 && element >= 0) {
      id = fmt::format("{}_{}", array, element);
    } else if (array > 0 && !is_nothing(waiting)) {
      id = fmt::format("{}_[{}]", array, waiting);
    } else if (whole > 0) {
      id = fmt::format("{}+{}", whole, part > 0 ? part : 0);
    }
    keep("job_id", parse_slurm_id(id), job.id);
  }

  void read_state(SlurmJob& job, const std::string& state, const std::string& reason) {
    job.was_requeued = state.starts_with("REQUEUE");
    keep("state", parse_slurm_state(state, reason), job.outcome);
  }

  // A list of {type, name, count}.
  Tres tres_of(const Value* list) {
    std::string all;
    if (list == nullptr || !list->is_list()) return {};
    for (const Value& one : list->items) {
      const std::string type = slurm_text(one.find("type"));
      const std::string name = slurm_text(one.find("name"));
      const std::int64_t count = slurm_number(one.find("count"));
      if (count < 0) continue;
      if (!all.empty()) all += ',';
      all += fmt::format("{}{}{}={}", type, name.empty() ? "" : "/", name, count);
    }
    Tres tres;
    keep("tres", parse_tres(all), tres);
    return tres;
  }

  void read_accounting(SlurmJob& job) {
    read_id(job, number({"array", "job_id"}), number({"array", "task_id"}), text({"array", "task"}),
            number({"het", "job_id"}), number({"het", "job_offset"}));
    read_state(job, text({"state", "current"}), text({"state", "reason"}));
    job.submit = time_of(number({"time", "submission"}));
    job.eligible = time_of(number({"time", "eligible"}));
    job.start = time_of(number({"time", "start"}));
    job.end = time_of(number({"time", "end"}));
    const std::int64_t elapsed = number({"time", "elapsed"});
    if (elapsed >= 0 && elapsed <= kLatest) job.elapsed = Duration{elapsed * 1000};
    job.limit = limit_of(number({"time", "limit"}));
    job.nodes = count_of(number({"allocation_nodes"}));
    job.cpus = count_of(number({"required", "CPUs"}));
    job.requested = tres_of(at({"tres", "requested"}));
    job.allocated = tres_of(at({"tres", "allocated"}));
    read_memory(job, number({"required", "memory_per_cpu"}),
                number({"required", "memory_per_node"}));
  }

  void read_memory(SlurmJob& job, std::int64_t per_cpu, std::int64_t per_node) {
    constexpr std::int64_t kMostMebibytes = std::int64_t{1} << 40;
    const std::int64_t amount = per_cpu > 0 ? per_cpu : per_node;
    if (amount <= 0 || amount > kMostMebibytes) return;
    job.memory = {
        .amount = base::mebibytes(amount), .per_cpu = per_cpu > 0, .per_node = per_cpu <= 0};
  }

  void read_controller(SlurmJob& job) {
    read_id(job, number({"array_job_id"}), number({"array_task_id"}), text({"array_task_string"}),
            number({"het_job_id"}), number({"het_job_offset"}));
    read_state(job, text({"job_state"}), text({"state_reason"}));
    job.submit = time_of(number({"submit_time"}));
    job.eligible = time_of(number({"eligible_time"}));
    // Of a job that waits the start is a guess, and of one that runs the end.
    if (job.outcome != model::Outcome::kWaiting && job.outcome != model::Outcome::kHeld) {
      job.start = time_of(number({"start_time"}));
    }
    if (model::is_final(job.outcome)) job.end = time_of(number({"end_time"}));
    if (job.start && job.end && *job.end >= *job.start) {
      const std::int64_t paused = number({"pre_sus_time"});
      const Duration whole = base::between(*job.start, *job.end);
      if (paused > 0 && paused < kLatest && number({"suspend_time"}) > 0) {
        job.elapsed = std::min(whole, Duration{paused * 1000});
      }
    }
    job.limit = limit_of(number({"time_limit"}));
    job.nodes = count_of(number({"node_count"}));
    job.cpus = count_of(number({"cpus"}));
    keep("tres_req_str", parse_tres(text({"tres_req_str"})), job.requested);
    keep("tres_alloc_str", parse_tres(text({"tres_alloc_str"})), job.allocated);
    read_memory(job, number({"memory_per_cpu"}), number({"memory_per_node"}));
    read_gpus(job);
  }

  // Where the resources do not tell GPUs: those of each node, or of the job.
  void read_gpus(SlurmJob& job) {
    if (job.requested.gpus > 0 || job.allocated.gpus > 0) return;
    std::vector<SlurmGpus> gpus;
    const auto add = [&](const std::string& gres, std::int64_t times) {
      std::vector<SlurmGpus> more;
      keep("gres", parse_gres(gres), more);
      for (SlurmGpus& one : more) {
        one.count *= times;
        gpus.push_back(std::move(one));
      }
    };
    const Value* const detail = at({"gres_detail"});
    if (detail != nullptr && detail->is_list() && !detail->items.empty()) {
      for (const Value& one : detail->items) add(slurm_text(&one), 1);
    } else if (const std::string each = text({"tres_per_node"}); !each.empty()) {
      add(each, std::max<std::int64_t>(job.nodes, 1));
    } else {
      add(text({"tres_per_job"}), 1);
    }
    for (const SlurmGpus& one : gpus) {
      job.allocated.gpus += one.count;
      const bool is_known = !job.allocated.types.empty() && job.allocated.types[0].type == one.type;
      if (one.type.empty()) continue;
      if (is_known) {
        job.allocated.types[0].count += one.count;
      } else {
        job.allocated.types.push_back(one);
      }
    }
  }

  const Value& job_;
  std::string problem_;
};

}  // namespace

std::int64_t slurm_number(const Value* value) {
  if (value == nullptr) return -1;
  if (value->is_map()) {
    const Value* const set = value->find("set");
    const Value* const infinite = value->find("infinite");
    if (set != nullptr && set->text != "true") return -1;
    if (infinite != nullptr && infinite->text == "true") return -1;
    return slurm_number(value->find("number"));
  }
  // 62.0 is a whole number too.
  std::string_view text = value->text;
  if (!value->is_scalar()) return -1;
  if (text.ends_with(".0")) text.remove_suffix(2);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  return whole ? number : -1;
}

std::string slurm_text(const Value* value) {
  if (value == nullptr) return "";
  if (value->is_list()) return value->items.empty() ? "" : slurm_text(&value->items[0]);
  return value->is_scalar() ? value->text : "";
}

Result<void> read_slurm_json(const std::string& name, std::string_view text,
                             SlurmHistory& history) {
  const auto add = [&](const Value& value) -> Result<void> {
    Result<SlurmJob> job = JobReader(value).read(name);
    return job ? history.add(std::move(*job)) : history.bad_row(job.error().message);
  };
  const Result<Value> rest = parse_json_items(name, text, "jobs", add);
  if (!rest) {
    // What was read before the cut is good.
    return history.bad_row(rest.error().message);
  }
  if (rest->find("jobs") != nullptr) return {};
  return base::fail(name + ":1: there is no list of jobs in it (key \"jobs\")");
}

}  // namespace headroom::formats
