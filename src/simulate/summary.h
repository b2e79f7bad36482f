// Summary: what a replay says to those who waited and to those who paid.
//
// Times are of jobs that ran to their end (completed, failed or timed out); rejected and unfinished
// ones are counted apart. Quantiles are nearest-rank. GPU figures leave out jobs without GPUs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "simulate/replay.h"

namespace headroom::simulate {

struct Spread {
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
};

struct Summary {
  std::int64_t jobs = 0;  // ran to their end
  std::int64_t rejected = 0;
  std::int64_t unfinished = 0;
  Spread completion_s;  // end - submission
  Spread wait_s;        // first start - submission
  Spread slowdown;      // completion / max(run, 10 s), at least 1 (bounded slowdown)
  double makespan_s = 0;
  double allocated = 0;  // of the GPU time from the first submission to the last end, 0..1
  double useful = 0;     // the same without work that was lost
  std::array<double, schedule::kReasons> idle_while_waiting_gpu_h{};  // by Reason::Kind
  std::int64_t preemptions = 0;
  double lost_gpu_h = 0;
  std::uint64_t digest = 0;
};

Summary summarise(const ReplayInput& input, const ReplayResult& result);

// How evenly tenants (queues) are served. A tenant's ratio is the total completion time of its jobs
// divided by what it would be if it was alone on its part of the cluster: ceil(GPUs / tenants) GPUs
// of the same nodes, under EASY; a job larger than that part is counted at its size. Jain's index
// is of the inverse ratios (1: all alike); the worst ratio is the largest.
struct Fairness {
  double jain = 0;
  double worst_ratio = 0;
};

// Replays each tenant once.
base::Result<Fairness> fairness(const ReplayInput& input, const ReplayResult& result);

}  // namespace headroom::simulate
