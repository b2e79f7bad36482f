#include "schedule/task_mix.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace headroom::schedule {

namespace {

TaskMix from_counts(const std::map<model::Request, std::int64_t>& counts) {
  TaskMix mix;
  for (const auto& [request, count] : counts) mix.push_back({request, count});
  return mix;
}

// The published order of equally frequent classes compares the GPU milli per GPU before the number
// of GPUs, and the accepted models as one text.
auto published_key(const model::Request& request) {
  const bool whole = request.gpu.kind == model::GpuRequest::Kind::kWhole;
  std::string models;
  for (const std::string& name : request.gpu_models) models += (models.empty() ? "" : "|") + name;
  return std::tuple(request.cpu, whole ? base::kWholeGpu : request.gpu.share,
                    whole ? request.gpu.count : 1, models, request);
}

}  // namespace

TaskMix count_classes(const std::vector<model::Task>& tasks) {
  std::map<model::Request, std::int64_t> counts;
  for (const model::Task& task : tasks) ++counts[task.request];
  return from_counts(counts);
}

TaskMix typical_classes(const TaskMix& mix, int percent) {
  std::map<model::Request, std::int64_t> counts;
  std::int64_t total = 0;
  for (const TaskClass& one : mix) {
    model::Request without_memory = one.request;
    without_memory.memory = {};
    counts[without_memory] += one.count;
    total += one.count;
  }
  TaskMix typical = from_counts(counts);
  std::stable_sort(typical.begin(), typical.end(), [](const TaskClass& a, const TaskClass& b) {
    if (a.count != b.count) return a.count > b.count;
    return published_key(a.request) > published_key(b.request);
  });
  std::int64_t covered = 0;
  std::size_t kept = 0;
  while (kept < typical.size() && covered * 100 < total * percent) covered += typical[kept++].count;
  typical.resize(kept);
  return typical;
}

}  // namespace headroom::schedule
