#include "simulate/fairness.h"

#include <algorithm>
#include <map>
#include <memory>

#include "simulate/summary.h"

namespace headroom::simulate {

namespace {

constexpr const char* kAlone = "alone";  // the queue of a tenant that is alone

// The first nodes of the cluster that have so many GPUs together, the last one with the rest only.
model::Cluster part_of(const model::Cluster& cluster, std::int64_t gpus) {
  model::Cluster part;
  part.gpu_models = cluster.gpu_models;
  part.fabric.domains = cluster.fabric.domains;
  for (std::size_t i = 0; i < cluster.nodes.size() && gpus > 0; ++i) {
    model::NodeShape shape = cluster.shapes[cluster.nodes[i].shape.index()];
    if (shape.gpus == 0) continue;
    shape.gpus = static_cast<int>(std::min<std::int64_t>(shape.gpus, gpus));
    gpus -= shape.gpus;
    part.nodes.push_back({cluster.nodes[i].name, part.intern_shape(shape)});
    for (std::size_t level = 0; level < model::kLevels; ++level) {
      const auto& domains = cluster.fabric.domain_of[level];
      if (i < domains.size()) part.fabric.domain_of[level].push_back(domains[i]);
    }
  }
  return part;
}

// The tenant's jobs, none larger than the part.
model::History own_jobs(const model::History& jobs, const Tenant& tenant, std::int64_t gpus) {
  model::History own;
  for (const std::uint32_t index : tenant.jobs) {
    model::HistoricJob& one = own.jobs.emplace_back(jobs.jobs[index]);
    for (model::TaskGroup& group : one.job.groups) {
      model::GpuRequest& gpu = group.request.gpu;
      if (gpu.kind != model::GpuRequest::Kind::kWhole) continue;
      gpu.count = static_cast<int>(std::min<std::int64_t>(gpu.count, gpus));
      group.tasks = std::max<std::int64_t>(1, std::min(group.tasks, gpus / gpu.count));
    }
    one.job.gang = 0;
    one.job.elastic.reset();
    one.job.queue = kAlone;
  }
  return own;
}

bool cooperative(const std::vector<model::Queue>& queues, const std::string& name) {
  return std::any_of(queues.begin(), queues.end(), [&](const model::Queue& queue) {
    return queue.name == name && queue.cooperative_sharing;
  });
}

}  // namespace

std::vector<Tenant> tenants_of(const model::History& jobs) {
  std::map<std::string, std::vector<std::uint32_t>> by_queue;
  for (std::uint32_t i = 0; i < jobs.jobs.size(); ++i) {
    by_queue[jobs.jobs[i].job.queue].push_back(i);
  }
  std::vector<Tenant> tenants;
  for (auto& [queue, own] : by_queue) tenants.push_back({queue, std::move(own)});
  return tenants;
}

base::Result<AloneTimes> alone_times(const ReplayInput& input, const Tenant& tenant,
                                     std::size_t tenants) {
  AloneTimes times(tenant.jobs.size(), base::Duration{-1});
  const std::int64_t gpus = input.cluster->gpu_capacity().value() / 1000;
  const auto count = static_cast<std::int64_t>(tenants);
  const std::int64_t part = (gpus + count - 1) / count;
  if (part == 0) return times;
  ReplayInput one = input;
  one.cluster = std::make_shared<const model::Cluster>(part_of(*input.cluster, part));
  one.jobs = std::make_shared<const model::History>(own_jobs(*input.jobs, tenant, part));
  one.queues = {{.name = kAlone, .cooperative_sharing = cooperative(input.queues, tenant.queue)}};
  one.windows.clear();
  one.outages.clear();
  one.faults = {};
  one.policy = "easy";
  const auto replayed = replay(one);
  if (!replayed) return tl::unexpected(replayed.error());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const JobRun& run = replayed->jobs[i];
    if (ran_to_its_end(run)) times[i] = base::between(run.submitted, run.end);
  }
  return times;
}

Fairness fairness(const ReplayResult& result, const std::vector<Tenant>& tenants,
                  const std::vector<AloneTimes>& alone) {
  Fairness found;
  double sum = 0;
  double squares = 0;
  double counted = 0;
  for (std::size_t t = 0; t < tenants.size(); ++t) {
    base::Duration together, apart;
    for (std::size_t i = 0; i < alone[t].size(); ++i) {
      const JobRun& run = result.jobs[tenants[t].jobs[i]];
      if (!ran_to_its_end(run) || alone[t][i] < base::Duration{0}) continue;
      together += base::between(run.submitted, run.end);
      apart += alone[t][i];
    }
    double& ratio = found.ratios.emplace_back(0);
    if (together <= base::Duration{0} || apart <= base::Duration{0}) continue;
    ratio = static_cast<double>(together.value()) / static_cast<double>(apart.value());
    found.worst_ratio = std::max(found.worst_ratio, ratio);
    sum += 1 / ratio;
    squares += 1 / (ratio * ratio);
    ++counted;
  }
  if (squares > 0) found.jain = sum * sum / (counted * squares);
  return found;
}

}  // namespace headroom::simulate
