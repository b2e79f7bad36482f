#include "formats/scontrol_jobs.h"

#include <fmt/format.h>

#include "formats/message.h"
#include "formats/quantity.h"
#include "formats/scontrol_text.h"
#include "formats/utf8.h"

namespace headroom::formats {

using base::Result;

namespace {

constexpr std::int64_t kMost = 1'000'000'000;

class JobReader {
 public:
  JobReader(const SlurmRecord& record, const TimeZone& zone) : record_(record), zone_(zone) {}

  Result<SlurmJob> read() {
    SlurmJob job;
    job.place = record_.place;
    read_id(job);
    read_words(job);
    const std::string_view state = record_.find("JobState");
    job.was_requeued = state.starts_with("REQUEUE");
    keep("JobState", parse_slurm_state(state, record_.find("Reason")), job.outcome);
    read_times(job);
    read_sizes(job);
    if (problem_.empty()) return job;
    return base::fail(fmt::format("{}: {}", job.place, problem_));
  }

 private:
  template <class T>
  void keep(const char* key, Result<T> value, T& into) {
    if (value) {
      into = std::move(*value);
    } else if (problem_.empty()) {
      problem_ = fmt::format("{}: {}", key, value.error().message);
    }
  }

  void read_id(SlurmJob& job) {
    std::string id(record_.find("JobId"));
    if (record_.has("ArrayJobId") && record_.has("ArrayTaskId")) {
      const std::string_view element = record_.find("ArrayTaskId");
      const bool one = element.find_first_not_of("0123456789") == std::string_view::npos;
      id = fmt::format("{}_{}{}{}", record_.find("ArrayJobId"), one ? "" : "[", element,
                       one ? "" : "]");
    } else if (record_.has("HetJobId")) {
      id = fmt::format("{}+{}", record_.find("HetJobId"), record_.find("HetJobOffset"));
    }
    keep("JobId", parse_slurm_id(id), job.id);
  }

  void read_words(SlurmJob& job) {
    const auto word = [&](const char* key, std::string& into) {
      const std::string_view text = record_.find(key);
      if (is_nothing(text)) return;
      job.has_bad_text = job.has_bad_text || find_bad_text(text) != std::string_view::npos;
      into = clean_text(text);
    };
    word("JobName", job.name);
    word("UserId", job.user);
    job.user = job.user.substr(0, job.user.find('('));
    word("Account", job.account);
    word("Partition", job.partition);
    word("QOS", job.qos);
    word("NodeList", job.node_names);
    word("Dependency", job.after);
    word("SubmitLine", job.submit_line);
  }

  void read_times(SlurmJob& job) {
    const auto time = [&](const char* key, std::optional<base::Time>& into) {
      keep(key, parse_slurm_time(record_.find(key), zone_), into);
    };
    time("SubmitTime", job.submit);
    time("EligibleTime", job.eligible);
    // Of a job that waits the start is a guess, and of one that runs the end.
    const bool waits =
        job.outcome == model::Outcome::kWaiting || job.outcome == model::Outcome::kHeld;
    if (!waits) time("StartTime", job.start);
    if (model::is_final(job.outcome)) time("EndTime", job.end);
    if (!waits && record_.has("RunTime")) {
      base::Duration run;
      keep("RunTime", parse_slurm_elapsed(record_.find("RunTime")), run);
      job.elapsed = run;
    }
    keep("TimeLimit", parse_slurm_limit(record_.find("TimeLimit")), job.limit);
  }

  // "4", or "4-8" of a job that waits for at least 4.
  void count(const char* key, std::int64_t& into) {
    const std::string_view text = record_.find(key);
    if (is_nothing(text)) return;
    keep(key, parse_integer(text.substr(0, text.find('-')), 0, kMost), into);
  }

  void read_sizes(SlurmJob& job) {
    count("NumNodes", job.nodes);
    count("NumCPUs", job.cpus);
    count("Restarts", job.restarts);
    const bool apart = record_.has("ReqTRES");
    keep("TRES", parse_tres(record_.find(apart ? "ReqTRES" : "TRES")), job.requested);
    keep("AllocTRES", parse_tres(record_.find(apart ? "AllocTRES" : "TRES")), job.allocated);
    if (job.requested.gpus > 0 || job.allocated.gpus > 0) return;
    std::vector<SlurmGpus> gpus;
    keep("TresPerNode", parse_gres(record_.find("TresPerNode")), gpus);
    for (SlurmGpus& one : gpus) {
      one.count *= std::max<std::int64_t>(job.nodes, 1);
      job.requested.gpus += one.count;
      if (!one.type.empty()) job.requested.types.push_back(one);
    }
  }

  const SlurmRecord& record_;
  const TimeZone& zone_;
  std::string problem_;
};

}  // namespace

Result<void> read_scontrol_jobs(const std::string& name, std::string_view text,
                                SlurmHistory& history) {
  history.expect_bare_times();
  for (const SlurmRecord& record : read_scontrol_records(name, text)) {
    Result<SlurmJob> job = JobReader(record, history.zone()).read();
    const Result<void> done =
        job ? history.add(std::move(*job)) : history.bad_row(job.error().message);
    if (!done) return done;
  }
  return {};
}

}  // namespace headroom::formats
