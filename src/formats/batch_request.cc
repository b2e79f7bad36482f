#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "formats/batch_flags.h"
#include "formats/mig_profiles.h"
#include "formats/slurm_request.h"

namespace headroom::formats {

namespace {

constexpr std::int64_t kUsualGpus = 8;  // of a node

std::int64_t round_up(std::int64_t total, std::int64_t parts) {
  return (total + parts - 1) / parts;
}

// What would not fit into 64 bits is more than any node has, and stays so.
base::Bytes times(base::Bytes each, std::int64_t count) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  return base::Bytes{
      each.value() > kMost / std::max<std::int64_t>(count, 1) ? kMost : each.value() * count};
}

struct Totals {
  std::int64_t nodes = 1;
  std::int64_t tasks = 1;
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  base::Bytes memory;
};

Totals totals_of(const BatchRequest& request, std::vector<std::string>& notes) {
  Totals all;
  all.nodes = request.nodes;
  if (all.nodes == 0 && request.tasks > 0 && request.tasks_per_node > 0) {
    all.nodes = round_up(request.tasks, request.tasks_per_node);
  }
  const std::int64_t on_one = std::max<std::int64_t>(all.nodes, 1);
  all.tasks = request.tasks > 0 ? request.tasks
                                : on_one * std::max<std::int64_t>(request.tasks_per_node, 1);
  all.gpus = std::max(request.gpus, request.gpus_per_task * all.tasks);
  if (all.nodes == 0) {
    all.nodes =
        request.gpus_per_node > 0 ? 1 : std::max<std::int64_t>(1, round_up(all.gpus, kUsualGpus));
    if (all.nodes > 1) {
      notes.push_back(fmt::format("the number of nodes is not told: {}, with up to {} GPUs each",
                                  all.nodes, kUsualGpus));
    }
  }
  all.gpus = std::max(all.gpus, request.gpus_per_node * all.nodes);
  all.cpus = request.cpus_per_gpu > 0 && request.cpus_per_task == 0
                 ? request.cpus_per_gpu * all.gpus
                 : all.tasks * std::max<std::int64_t>(request.cpus_per_task, 1);
  all.memory =
      std::max({times(request.memory_per_node, all.nodes), times(request.memory_per_cpu, all.cpus),
                times(request.memory_per_gpu, all.gpus)});
  return all;
}

}  // namespace

model::Job batch_job(const BatchRequest& request, std::vector<std::string>& notes) {
  const Totals all = totals_of(request, notes);
  SlurmJob asked;
  asked.nodes = all.nodes;
  asked.requested = {.cpu = all.cpus,
                     .nodes = all.nodes,
                     .memory = all.memory,
                     .gpus = all.gpus,
                     .is_known = true};
  // A type that only the site knows is left for the server to look up.
  const bool is_mig = looks_like_mig_profile(request.gpu_type);
  if (is_mig) asked.requested.types = {{request.gpu_type, all.gpus}};
  std::map<std::string, std::int64_t> guessed;
  model::Job job = request.job;
  job.groups = slurm_groups(asked, guessed);
  for (const auto& [what, count] : guessed) notes.push_back(what);
  for (model::TaskGroup& group : job.groups) {
    group.request.exclusive = request.exclusive;
    const bool has_gpus = group.request.gpu.kind != model::GpuRequest::Kind::kNone;
    if (has_gpus && !is_mig && !request.gpu_type.empty()) {
      group.request.gpu_models = {gpu_word(request.gpu_type)};
    }
  }
  if (job.tasks() > 1) {
    notes.push_back(fmt::format(
        "the script runs on each of {} nodes, with HEADROOM_RANK to tell them apart; sbatch runs "
        "it on the first alone",
        job.tasks()));
  }
  return job;
}

}  // namespace headroom::formats
