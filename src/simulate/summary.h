// Summary: what a replay says to those who waited and to those who paid.
//
// Times are of jobs that ran to their end (completed, failed or timed out); rejected and unfinished
// ones are counted apart. Quantiles are nearest-rank. GPU figures leave out jobs without GPUs, and
// are from the first submission to the last end.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/replay.h"

namespace headroom::simulate {

struct Spread {
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
};

// By model::RejectJob::Reason.
constexpr std::size_t kRejections = 8;
constexpr std::array<const char*, kRejections> kRejectionNames = {
    "no_such_gpu_model",  "too_large_for_any_node",  "too_large_for_the_cluster",
    "no_matching_labels", "no_isolation_for_shares", "above_queue_limit",
    "topology_too_small", "dependency_never_holds"};

struct Deadlines {
  std::int64_t jobs = 0;    // that have one
  std::int64_t missed = 0;  // ended later, or not at all
};

struct Summary {
  std::int64_t jobs = 0;  // ran to their end
  std::int64_t rejected = 0;
  std::array<std::int64_t, kRejections> rejected_by{};
  std::int64_t unfinished = 0;
  Spread completion_s;  // end - submission
  Spread wait_s;        // first start - submission
  Spread slowdown;      // completion / max(run, 10 s), at least 1 (bounded slowdown)
  double makespan_s = 0;
  double allocated = 0;      // of the GPU time that there was, 0..1
  double useful = 0;         // the same without restart costs and work that was lost
  double fragmentation = 0;  // of the idle GPU time: useless to typical tasks (GpuTime), 0..1
  std::array<double, kCauses> idle_while_waiting_gpu_h{};  // see GpuTime
  Deadlines deadlines;
  std::int64_t preemptions = 0;
  std::int64_t node_failures = 0;
  double lost_gpu_h = 0;  // allocated, not useful
  std::uint64_t digest = 0;
};

// Mean and nearest-rank quantiles; all 0 of nothing.
Spread spread(std::vector<double> values);

Summary summarise(const ReplayInput& input, const ReplayResult& result);

// The same of the jobs of one queue.
struct QueueSummary {
  std::string queue;
  std::int64_t jobs = 0;  // ran to their end
  std::int64_t rejected = 0;
  std::int64_t unfinished = 0;
  Spread completion_s;
  Spread wait_s;
  double gpu_h = 0;  // held while all that a job needs ran
  double share = 0;  // of the GPU hours of all queues, 0..1
};

// Queues that have jobs, by name.
std::vector<QueueSummary> summarise_queues(const ReplayInput& input, const ReplayResult& result);

// Whether the job ran to its end.
bool ran_to_its_end(const JobRun& run);

}  // namespace headroom::simulate
