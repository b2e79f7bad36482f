#include "simulate/observed.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>

#include "simulate/seconds.h"

namespace headroom::simulate {

namespace {

using base::Time;
using model::HistoricJob;

bool has_run(const HistoricJob& job) { return job.start > Time{} && job.run > base::Duration{0}; }

Time end_of(const HistoricJob& job) { return job.start + job.run; }

// From when on a job could have run, had there been room.
Time ready(const HistoricJob& job) { return std::max(job.submit, job.job.begin); }

bool is_close(double observed, double replayed, double resolution) {
  return std::abs(replayed - observed) <= std::max(kObservedPart * observed, resolution);
}

class Comparison {
 public:
  Comparison(const ReplayInput& input, const ReplayResult& result, const Terms& terms)
      : history_(*input.jobs), span_(terms.span), turnaround_(terms.turnaround) {
    for (const JobRun& run : result.jobs) add(run);
    for (const Stretch& one : result.stretches) {
      replayed_use_ += use(one.gpu_milli, one.start, base::between(one.start, one.end));
    }
    std::vector<double> observed, replayed;
    for (const Waits& one : found_.waits) {
      observed.push_back(one.observed_s);
      replayed.push_back(one.replayed_s);
    }
    found_.observed.wait_s = spread(std::move(observed));
    found_.replayed.wait_s = spread(std::move(replayed));
    const double there = static_cast<double>(input.cluster->gpu_capacity().value()) *
                         static_cast<double>(base::between(span_.from, span_.to).value());
    if (there <= 0) return;  // no GPUs
    found_.observed.utilisation = observed_use_ / there;
    found_.replayed.utilisation = replayed_use_ / there;
  }

  const Observed& found() const { return found_; }

 private:
  void add(const JobRun& run) {
    const HistoricJob& job = history_.jobs[run.job];
    const std::int64_t gpus = model::gpus_of(job.job);
    const bool replayed = run.first_start < schedule::kNever;
    observed_use_ += use(run.gpu_milli > 0 ? run.gpu_milli : gpus * 1000, job.start, job.run);
    if (std::int64_t* const reason = why_not(job, gpus, replayed)) {
      ++*reason;
      return;
    }
    ++found_.compared;
    const base::Duration waited = base::between(ready(job), job.start);
    found_.waits.push_back({run.job, seconds(std::max(base::Duration{0}, waited)),
                            seconds(base::between(ready(job), run.first_start))});
  }

  // GPU milli x ms that are used from `start` on, as far as they are in the span.
  double use(std::int64_t gpu_milli, Time start, base::Duration length) const {
    const Time begin = std::max(span_.from, start);
    const Time end = std::min(span_.to, start + (length - turnaround_));
    if (end <= begin) return 0;
    return static_cast<double>(gpu_milli) * static_cast<double>(base::between(begin, end).value());
  }

  std::int64_t* why_not(const HistoricJob& job, std::int64_t gpus, bool replayed) {
    if (gpus == 0) return &found_.without_gpus;
    if (job.submit < span_.from) return &found_.began_before;
    if (job.restarts > 0) return &found_.requeued;
    if (!job.job.after.empty()) return &found_.dependent;
    return replayed ? nullptr : &found_.cannot_run;
  }

  const model::History& history_;
  const Span span_;
  const base::Duration turnaround_;
  double observed_use_ = 0;
  double replayed_use_ = 0;
  Observed found_;
};

}  // namespace

base::Result<Span> span_of(const model::History& history, Time begin) {
  Span span{.from = schedule::kNever};
  for (const HistoricJob& job : history.jobs) {
    span.to = std::max(span.to, job.submit);
    if (!has_run(job) || !model::is_final(job.outcome)) continue;
    span.from = std::min(span.from, end_of(job));
  }
  if (span.from == schedule::kNever) {
    return base::fail("the history does not tell when its jobs started and ended");
  }
  if (begin > Time{}) span.from = begin;
  if (span.from < span.to) return span;
  return base::fail("no job was submitted after the begin of the dump, or after its first end");
}

base::Duration turnaround_of(const model::History& history) {
  constexpr base::Duration kWaited{5000};  // so that it was an end that let the job start
  std::map<std::string_view, std::vector<Time>> ends;  // by node
  const auto has_node = [](const HistoricJob& job) { return has_run(job) && job.nodes == 1; };
  for (const HistoricJob& job : history.jobs) {
    if (has_node(job)) ends[job.node_names].push_back(end_of(job));
  }
  for (auto& [node, times] : ends) std::sort(times.begin(), times.end());
  std::vector<std::int64_t> gaps;
  for (const HistoricJob& job : history.jobs) {
    if (!has_node(job) || base::between(ready(job), job.start) < kWaited) continue;
    const std::vector<Time>& times = ends[job.node_names];
    const auto after = std::upper_bound(times.begin(), times.end(), job.start);
    if (after != times.begin()) gaps.push_back(base::between(*(after - 1), job.start).value());
  }
  if (gaps.empty()) return base::Duration{0};
  std::sort(gaps.begin(), gaps.end());
  const auto quarter = static_cast<std::ptrdiff_t>(gaps.size() / 4);
  const auto middle = static_cast<std::int64_t>(gaps.size()) - 2 * quarter;
  return base::Duration{
      std::accumulate(gaps.begin() + quarter, gaps.end() - quarter, std::int64_t{0}) / middle};
}

model::History from_span(const model::History& history, const Span& span,
                         base::Duration turnaround) {
  model::History replayed = history;
  std::erase_if(replayed.jobs, [](const HistoricJob& job) { return !has_run(job); });
  for (HistoricJob& job : replayed.jobs) {
    job.run += turnaround;
    if (job.start < span.from) {
      job.submit = job.start;
      job.job.begin = Time{};
      job.job.after.clear();
    } else if (job.submit < span.from) {
      job.submit = Time{span.from.value() - 1};  // before those of the span, in their order
    }
  }
  replayed.sort_jobs();
  return replayed;
}

Observed compare_observed(const ReplayInput& input, const ReplayResult& result,
                          const Terms& terms) {
  Observed found = Comparison(input, result, terms).found();
  const Measured& then = found.observed;
  const Measured& now = found.replayed;
  found.span = terms.span;
  found.turnaround_s = seconds(terms.turnaround);
  found.resolution_s = seconds(terms.resolution);
  found.p50_is_close = is_close(then.wait_s.p50, now.wait_s.p50, found.resolution_s);
  found.p90_is_close = is_close(then.wait_s.p90, now.wait_s.p90, found.resolution_s);
  found.use_is_close = is_close(then.utilisation, now.utilisation, 0);
  return found;
}

}  // namespace headroom::simulate
