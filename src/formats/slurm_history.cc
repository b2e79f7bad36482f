#include "formats/slurm_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/message.h"
#include "formats/slurm_request.h"
#include "formats/text_rows.h"

namespace headroom::formats {

using base::Result;
using model::HistoricJob;
using model::History;
using model::Outcome;

namespace {

std::string id_text(const SlurmId& id) {
  if (id.part >= 0) return fmt::format("{}+{}", id.number, id.part);
  if (id.elements.empty()) return std::to_string(id.number);
  if (id.elements.size() == 1 && !id.in_brackets) {
    return fmt::format("{}_{}", id.number, id.elements[0]);
  }
  return fmt::format("{}_[]", id.number);
}

// Whether the job ever had nodes. Slurm gives jobs that were cancelled while they waited a start.
bool has_run(const SlurmJob& job) {
  if (!job.start || job.outcome == Outcome::kWaiting || job.outcome == Outcome::kHeld) return false;
  if (job.outcome != Outcome::kCancelled) return true;
  return (job.elapsed && *job.elapsed > base::Duration{}) || job.allocated.is_known ||
         (!job.elapsed && job.end && *job.end > *job.start);
}

// Slurm counts whole seconds: a run that is shorter than one counts as one.
base::Duration run_of(const SlurmJob& job) {
  base::Duration run = job.elapsed.value_or(base::Duration{});
  if (!job.elapsed && job.start && job.end) run = base::between(*job.start, *job.end);
  return model::is_final(job.outcome) ? std::max(run, base::Duration{1000}) : run;
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return text;
}

}  // namespace

Result<SlurmHistory> SlurmHistory::create(const HistoryOptions& options) {
  SlurmHistory history(options);
  Result<TimeZone> zone = TimeZone::find(options.time_zone);
  if (!zone) return tl::unexpected(zone.error());
  history.zone_ = std::move(*zone);
  history.history_.format = "sacct";
  return history;
}

Result<void> SlurmHistory::bad_row(std::string message) {
  return bad_history_row(std::move(message), options_.strictness, history_);
}

Result<void> SlurmHistory::check(const SlurmJob& job) const {
  const auto bad = [&](std::string_view what) {
    return base::fail(fmt::format("{}: job {}: {}", job.place, id_text(job.id), what));
  };
  if (!job.submit) return bad("Submit: the time is not known, so it cannot be replayed");
  if (!model::is_final(job.outcome)) return {};
  if (job.start && job.end && *job.end < *job.start) return bad("End: it ends before it starts");
  return {};
}

bool SlurmHistory::is_of_this_cluster(const SlurmJob& job) {
  if (job.cluster.empty()) return true;
  if (history_.cluster.empty()) {
    history_.cluster = options_.cluster.empty() ? job.cluster : options_.cluster;
    cluster_place_ = job.place;
  }
  return job.cluster == history_.cluster;
}

Result<void> SlurmHistory::add(SlurmJob job) {
  const std::string id = id_text(job.id);
  if (job.id.is_step) {
    ++steps_[id];
    return {};
  }
  if (Result<void> done = check(job); !done) return bad_row(done.error().message);
  if (!is_of_this_cluster(job)) {
    if (options_.cluster.empty() && !options_.strictness.lenient) {
      return base::fail(
          fmt::format("{}: Cluster: {} is a second cluster in one dump (first {}, in {}); choose "
                      "one with --cluster",
                      job.place, shown(job.cluster), shown(history_.cluster), cluster_place_));
    }
    history_.leave_out("the job is of another cluster than " + history_.cluster);
    return {};
  }
  if (job.has_bad_text) ++counts_["bytes that are not UTF-8 are shown as ?"];
  const auto [known, is_new] = job_of_.emplace(std::pair(id, job.user), jobs_.size());
  if (is_new) {
    jobs_.push_back({std::move(job)});
    return {};
  }
  std::vector<SlurmJob>& attempts = jobs_[known->second];
  const auto same = [&](const SlurmJob& other) { return job.same_as(other); };
  if (std::any_of(attempts.begin(), attempts.end(), same)) {
    history_.leave_out("the row stands there twice");
  } else {
    attempts.push_back(std::move(job));
  }
  return {};
}

// The attempts of one job become one job: submitted with the first, run and ended as the last.
void SlurmHistory::fold(std::vector<SlurmJob>& attempts) {
  const auto by_submission = [](const SlurmJob& a, const SlurmJob& b) {
    return *a.submit < *b.submit;
  };
  std::stable_sort(attempts.begin(), attempts.end(), by_submission);
  const SlurmJob& first = attempts.front();
  const SlurmJob& last = attempts.back();
  HistoricJob one;
  one.id = id_text(last.id);
  one.number = last.id.number;
  if (last.id.elements.size() == 1) one.element = last.id.elements[0];
  one.account = last.account;
  one.partition = last.partition;
  one.qos = last.qos;
  one.submit = *first.submit;
  one.eligible = first.eligible.value_or(base::Time{});
  one.outcome = last.outcome;
  one.restarts = std::max(last.restarts, static_cast<std::int64_t>(attempts.size()) - 1);
  if (has_run(last)) {
    one.start = *last.start;
    one.run = run_of(last);
    one.nodes = last.allocated.nodes > 0 ? last.allocated.nodes : last.nodes;
    one.node_names = last.node_names;
  }
  // Contradictions of the accounting that are no reason to lose the job.
  if (one.start > base::Time{} && one.start < one.submit) {
    one.submit = one.start;
    ++counts_["submitted after the start, so taken as submitted at the start"];
  }
  if (model::is_final(last.outcome)) one.end = last.end.value_or(base::Time{});
  if (last.outcome == Outcome::kRunning) ++counts_["still running, so the run time is that so far"];

  one.job.job = clean_name(last.name, "job");
  if (one.job.job != last.name) one.job.name = one_line(last.name);
  one.job.user = clean_name(last.user, "");
  const std::string& queue = options_.queue == QueueSource::kAccount     ? last.account
                             : options_.queue == QueueSource::kPartition ? last.partition
                                                                         : last.qos;
  one.job.queue = clean_name(queue, "default");
  one.job.time = last.limit.value_or(base::Duration{});
  one.job.groups = slurm_groups(last, counts_);
  std::vector<std::string> ignored;
  const std::string after =
      last.after.empty() ? parse_submit_line(last.submit_line).after : last.after;
  one.job.after = parse_slurm_dependencies(after, ignored);
  for (const std::string& word : ignored) {
    ++counts_["the dependency '" + word + "' has no counterpart and is left out"];
  }
  if (one.eligible > one.submit && one.job.after.empty()) one.job.begin = one.eligible;
  if (last.id.part >= 0) {
    add_part(std::move(one), last.id.number);
  } else if (last.id.in_brackets) {
    add_elements(last, one);
  } else {
    history_.jobs.push_back(std::move(one));
  }
}

void SlurmHistory::add_elements(const SlurmJob& job, const HistoricJob& one) {
  if (job.id.throttle > 0) {
    ++counts_["the limit of an array's running elements is left out"];
  }
  for (const std::int64_t element : job.id.elements) {
    HistoricJob copy = one;
    copy.id = fmt::format("{}_{}", job.id.number, element);
    copy.element = element;
    history_.jobs.push_back(std::move(copy));
  }
}

void SlurmHistory::add_part(HistoricJob one, std::int64_t number) {
  const auto rename = [](HistoricJob& job, std::size_t from) {
    for (std::size_t i = from; i < job.job.groups.size(); ++i) {
      job.job.groups[i].name = fmt::format("part{}", i);
    }
  };
  const auto [known, is_new] = whole_of_part_.emplace(number, history_.jobs.size());
  if (is_new) {
    one.id = std::to_string(number);
    rename(one, 0);
    history_.jobs.push_back(std::move(one));
    return;
  }
  HistoricJob& whole = history_.jobs[known->second];
  const std::size_t before = whole.job.groups.size();
  for (model::TaskGroup& group : one.job.groups) whole.job.groups.push_back(std::move(group));
  rename(whole, before);
  whole.nodes += one.nodes;
  if (!one.node_names.empty()) {
    whole.node_names += (whole.node_names.empty() ? "" : ",") + one.node_names;
  }
  whole.run = std::max(whole.run, one.run);
  whole.end = std::max(whole.end, one.end);
}

// An element can stand in its array's row and in one of its own; the one that ran counts.
void SlurmHistory::drop_doubles() {
  std::map<std::string_view, std::size_t> kept;
  std::vector<bool> double_of_another(history_.jobs.size(), false);
  for (std::size_t i = 0; i < history_.jobs.size(); ++i) {
    const auto [known, is_new] = kept.emplace(history_.jobs[i].id, i);
    if (is_new) continue;
    const bool better =
        history_.jobs[known->second].start == base::Time{} && history_.jobs[i].start > base::Time{};
    double_of_another[better ? known->second : i] = true;
    if (better) known->second = i;
  }
  std::size_t next = 0;
  const auto dropped =
      std::erase_if(history_.jobs, [&](const HistoricJob&) { return double_of_another[next++]; });
  if (dropped > 0) counts_["told twice, so taken once"] += static_cast<std::int64_t>(dropped);
}

void SlurmHistory::write_notes() {
  for (const auto& [what, jobs] : counts_) {
    history_.note(fmt::format("{}: {} job{}", what, jobs, jobs == 1 ? "" : "s"));
  }
  if (has_bare_times_ && options_.time_zone.empty()) {
    history_.note("times without a zone are taken as UTC (--timezone says otherwise)");
  }
}

Result<History> SlurmHistory::finish(const std::string& name) {
  std::int64_t orphans = 0;
  for (const auto& [id, steps] : steps_) {
    const auto job = job_of_.lower_bound(std::pair(id, std::string()));
    if (job == job_of_.end() || job->first.first != id) orphans += steps;
  }
  history_.leave_out("the step's job is not in the dump", orphans);
  history_.jobs.reserve(jobs_.size());
  for (std::vector<SlurmJob>& attempts : jobs_) {
    fold(attempts);
    std::vector<SlurmJob>().swap(attempts);  // a dump may be large
  }
  drop_doubles();
  history_.sort_jobs();
  const std::int64_t dropped = model::drop_dependency_circles(history_);
  if (dropped > 0) counts_["dependencies in a circle are left out"] = dropped;
  write_notes();
  if (!history_.jobs.empty()) return std::move(history_);
  const std::string why =
      history_.left_out.empty()
          ? ""
          : fmt::format(" ({} rows: {})", history_.left_out[0].rows, history_.left_out[0].reason);
  return base::fail(fmt::format("{}: there is no job in it{}", name, why));
}

}  // namespace headroom::formats
