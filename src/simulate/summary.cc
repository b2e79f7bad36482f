#include "simulate/summary.h"

#include <algorithm>
#include <map>

namespace headroom::simulate {

namespace {

using schedule::JobOutcome;

constexpr double kSecond = 1000.0;
constexpr double kGpuHour = 1000.0 * 3'600'000.0;  // milli x milliseconds
constexpr double kShortJob = 10.0;                 // seconds; the customary bound of the slowdown

constexpr const char* kAlone = "alone";  // the queue of a tenant that is alone

double seconds(base::Time from, base::Time to) {
  return static_cast<double>(base::between(from, to).value()) / kSecond;
}

bool ended(const JobRun& run) {
  return run.outcome == JobOutcome::kCompleted || run.outcome == JobOutcome::kFailed ||
         run.outcome == JobOutcome::kTimedOut;
}

Spread spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (double value : values) sum += value;
  const auto n = values.size();
  const auto rank = [&](std::size_t percent) { return values[(n * percent + 99) / 100 - 1]; };
  return {sum / static_cast<double>(n), rank(50), rank(90), rank(99)};
}

// Total completion time by queue, in seconds.
std::map<std::string, double> by_queue(const model::History& jobs, const ReplayResult& result) {
  std::map<std::string, double> total;
  for (const JobRun& run : result.jobs) {
    if (ended(run)) total[jobs.jobs[run.job].job.queue] += seconds(run.submitted, run.end);
  }
  return total;
}

// The first nodes of the cluster that have so many GPUs together, the last one with the rest only.
model::Cluster part_of(const model::Cluster& cluster, std::int64_t gpus) {
  model::Cluster part;
  part.gpu_models = cluster.gpu_models;
  for (const model::Node& node : cluster.nodes) {
    if (gpus <= 0) break;
    model::NodeShape shape = cluster.shapes[node.shape.index()];
    if (shape.gpus == 0) continue;
    shape.gpus = static_cast<int>(std::min<std::int64_t>(shape.gpus, gpus));
    gpus -= shape.gpus;
    part.nodes.push_back({node.name, part.intern_shape(shape)});
  }
  return part;
}

// The queue's jobs, none larger than the part.
model::History alone(const model::History& jobs, const std::string& queue, std::int64_t gpus) {
  model::History own;
  for (const model::HistoricJob& one : jobs.jobs) {
    if (one.job.queue != queue) continue;
    own.jobs.push_back(one);
    for (model::TaskGroup& group : own.jobs.back().job.groups) {
      model::GpuRequest& gpu = group.request.gpu;
      if (gpu.kind != model::GpuRequest::Kind::kWhole) continue;
      gpu.count = static_cast<int>(std::min<std::int64_t>(gpu.count, gpus));
      group.tasks = std::max<std::int64_t>(1, std::min(group.tasks, gpus / gpu.count));
    }
    own.jobs.back().job.gang = 0;
    own.jobs.back().job.queue = kAlone;
  }
  return own;
}

}  // namespace

Summary summarise(const ReplayInput& input, const ReplayResult& result) {
  Summary summary{.preemptions = result.preemptions, .digest = result.digest};
  std::vector<double> completion, wait, slowdown;
  double lost = 0;
  for (const JobRun& run : result.jobs) {
    lost += static_cast<double>(run.lost.value()) * static_cast<double>(run.gpu_milli);
    if (!ended(run)) {
      ++(run.outcome == JobOutcome::kRejected ? summary.rejected : summary.unfinished);
      continue;
    }
    ++summary.jobs;
    const double took = seconds(run.submitted, run.end);
    const double work = static_cast<double>(input.jobs->jobs[run.job].run.value()) / kSecond;
    completion.push_back(took);
    wait.push_back(seconds(run.submitted, run.first_start));
    slowdown.push_back(std::max(1.0, took / std::max(work, kShortJob)));
  }
  summary.completion_s = spread(std::move(completion));
  summary.wait_s = spread(std::move(wait));
  summary.slowdown = spread(std::move(slowdown));
  summary.makespan_s = seconds(result.first, result.last);
  summary.lost_gpu_h = lost / kGpuHour;
  const auto capacity = static_cast<double>(std::max<std::int64_t>(result.capacity_milli_ms, 1));
  summary.allocated = static_cast<double>(result.allocated_milli_ms) / capacity;
  summary.useful = summary.allocated - lost / capacity;
  for (std::size_t i = 0; i < summary.idle_while_waiting_gpu_h.size(); ++i) {
    summary.idle_while_waiting_gpu_h[i] =
        static_cast<double>(result.idle_waiting_milli_ms[i]) / kGpuHour;
  }
  return summary;
}

base::Result<Fairness> fairness(const ReplayInput& input, const ReplayResult& result) {
  const std::map<std::string, double> together = by_queue(*input.jobs, result);
  const std::int64_t gpus = input.cluster->gpu_capacity().value() / 1000;
  const auto tenants = static_cast<std::int64_t>(std::max<std::size_t>(together.size(), 1));
  const std::int64_t part = (gpus + tenants - 1) / tenants;
  Fairness found;
  double sum = 0;
  double squares = 0;
  for (const auto& [queue, total] : together) {
    ReplayInput one = input;
    one.cluster = std::make_shared<const model::Cluster>(part_of(*input.cluster, part));
    one.jobs = std::make_shared<const model::History>(alone(*input.jobs, queue, part));
    one.queues = {{.name = kAlone}};
    one.outages.clear();
    one.policy = "easy";
    const auto replayed = replay(one);
    if (!replayed) return tl::unexpected(replayed.error());
    const std::map<std::string, double> own = by_queue(*one.jobs, *replayed);
    const auto time = own.find(kAlone);
    if (time == own.end() || time->second <= 0 || total <= 0) continue;
    const double ratio = total / time->second;
    found.worst_ratio = std::max(found.worst_ratio, ratio);
    sum += 1 / ratio;
    squares += 1 / (ratio * ratio);
  }
  if (squares > 0) found.jain = sum * sum / (static_cast<double>(tenants) * squares);
  return found;
}

}  // namespace headroom::simulate
