#include "simulate/summary.h"

#include <algorithm>
#include <map>

#include "simulate/seconds.h"

namespace headroom::simulate {

namespace {

using schedule::JobOutcome;

constexpr double kGpuHour = 1000.0 * 3'600'000.0;  // milli x milliseconds
constexpr double kShortJob = 10.0;                 // seconds; the customary bound of the slowdown

double gpu_hours(std::int64_t milli_ms) { return static_cast<double>(milli_ms) / kGpuHour; }

double ratio(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void count_deadline(const model::Job& job, const JobRun& run, Deadlines& deadlines) {
  if (job.deadline <= base::Time{0}) return;
  ++deadlines.jobs;
  if (!ran_to_its_end(run) || run.end > job.deadline) ++deadlines.missed;
}

}  // namespace

Spread spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (double value : values) sum += value;
  const auto n = values.size();
  const auto rank = [&](std::size_t percent) { return values[(n * percent + 99) / 100 - 1]; };
  return {sum / static_cast<double>(n), rank(50), rank(90), rank(99)};
}

bool ran_to_its_end(const JobRun& run) {
  return run.outcome == JobOutcome::kCompleted || run.outcome == JobOutcome::kFailed ||
         run.outcome == JobOutcome::kTimedOut;
}

Summary summarise(const ReplayInput& input, const ReplayResult& result) {
  Summary summary{.preemptions = result.preemptions,
                  .node_failures = result.node_failures,
                  .digest = result.digest};
  std::vector<double> completion, wait, slowdown;
  for (const JobRun& run : result.jobs) {
    const model::HistoricJob& job = input.jobs->jobs[run.job];
    count_deadline(job.job, run, summary.deadlines);
    if (run.rejected) ++summary.rejected_by[static_cast<std::size_t>(*run.rejected)];
    if (!ran_to_its_end(run)) {
      ++(run.outcome == JobOutcome::kRejected ? summary.rejected : summary.unfinished);
      continue;
    }
    ++summary.jobs;
    const double took = seconds(base::between(run.submitted, run.end));
    const double work = seconds(job.run);
    completion.push_back(took);
    wait.push_back(seconds(base::between(run.submitted, run.first_start)));
    slowdown.push_back(std::max(1.0, took / std::max(work, kShortJob)));
  }
  summary.completion_s = spread(std::move(completion));
  summary.wait_s = spread(std::move(wait));
  summary.slowdown = spread(std::move(slowdown));
  summary.makespan_s = seconds(base::between(result.first, result.last));
  const GpuTime& gpu = result.gpu;
  summary.allocated = ratio(gpu.allocated, gpu.capacity);
  summary.useful = ratio(gpu.useful, gpu.capacity);
  summary.fragmentation = ratio(gpu.unusable, gpu.idle);
  summary.lost_gpu_h = gpu_hours(gpu.allocated - gpu.useful);
  for (std::size_t i = 0; i < kCauses; ++i) {
    summary.idle_while_waiting_gpu_h[i] = gpu_hours(gpu.idle_waiting[i]);
  }
  return summary;
}

std::vector<QueueSummary> summarise_queues(const ReplayInput& input, const ReplayResult& result) {
  struct Times {
    QueueSummary summary;
    std::vector<double> completion, wait;
    std::int64_t held = 0;  // GPU milli x ms
  };
  std::map<std::string, Times> by_queue;
  for (const JobRun& run : result.jobs) {
    Times& of = by_queue[input.jobs->jobs[run.job].job.queue];
    if (!ran_to_its_end(run)) {
      ++(run.outcome == JobOutcome::kRejected ? of.summary.rejected : of.summary.unfinished);
      continue;
    }
    ++of.summary.jobs;
    of.completion.push_back(seconds(base::between(run.submitted, run.end)));
    of.wait.push_back(seconds(base::between(run.submitted, run.first_start)));
  }
  std::int64_t all = 0;
  for (const Stretch& one : result.stretches) {
    const std::int64_t held = base::between(one.start, one.end).value() * one.gpu_milli;
    by_queue[input.jobs->jobs[one.job].job.queue].held += held;
    all += held;
  }
  std::vector<QueueSummary> queues;
  for (auto& [name, of] : by_queue) {
    of.summary.queue = name;
    of.summary.completion_s = spread(std::move(of.completion));
    of.summary.wait_s = spread(std::move(of.wait));
    of.summary.gpu_h = gpu_hours(of.held);
    of.summary.share = ratio(of.held, all);
    queues.push_back(std::move(of.summary));
  }
  return queues;
}

}  // namespace headroom::simulate
