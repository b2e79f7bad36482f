// Fairness: how evenly tenants (queues that have jobs) are served.
//
// A tenant's ratio is the total completion time of its jobs divided by what it would be if it was
// alone on its part of the cluster: ceil(GPUs / tenants) GPUs of the same nodes, all healthy, under
// EASY; a job larger than that part is counted at its size. Jobs that end in both are counted.
// Jain's index is of the inverse ratios (1: all alike); the worst ratio is the largest.
//
// What a tenant would have alone depends on the cluster and the jobs only, so it is worked out once
// for all policies and seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "simulate/replay.h"

namespace headroom::simulate {

struct Tenant {
  std::string queue;
  std::vector<std::uint32_t> jobs;  // indices in the history, ascending
};

// By name of the queue, as summarise_queues.
std::vector<Tenant> tenants_of(const model::History& jobs);

// Completion time of each of the tenant's jobs, alone; -1: it does not end. Replays them.
using AloneTimes = std::vector<base::Duration>;
base::Result<AloneTimes> alone_times(const ReplayInput& input, const Tenant& tenant,
                                     std::size_t tenants);

struct Fairness {
  double jain = 0;  // 0: no tenant has a ratio, as without GPUs; so is the next
  double worst_ratio = 0;
  std::vector<double> ratios;  // by tenant; 0: none of its jobs ended in both
};

Fairness fairness(const ReplayResult& result, const std::vector<Tenant>& tenants,
                  const std::vector<AloneTimes>& alone);

}  // namespace headroom::simulate
