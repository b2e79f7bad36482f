// replay: a history of jobs in virtual time, through the very scheduler that a server runs. Time
// jumps from event to event; a cycle is decided after each.
//
// What is done with a stop or a lost node: the job loses what it did since its last checkpoint and
// pays its restart cost when it runs again (job's own values, else the defaults here).
//
// Pure: the same arguments give the same result and digest on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "model/history.h"
#include "model/queue.h"
#include "schedule/policies.h"
#include "schedule/reason.h"
#include "schedule/state.h"

namespace headroom::simulate {

// A node is out of service from `from` to `to`.
struct Outage {
  model::NodeId node;
  base::Time from;
  base::Time to;
};

struct ReplayInput {
  std::shared_ptr<const model::Cluster> cluster;
  std::vector<model::Queue> queues;
  std::shared_ptr<const model::History> jobs;
  std::vector<Outage> outages;
  std::string policy = "headroom";
  std::string placement = "headroom_learned";
  schedule::Settings settings;
  schedule::PolicySettings policy_settings;
  base::Duration checkpoint_every{30 * 60'000};  // where a job does not say
  base::Duration restart_cost{5 * 60'000};
};

// What became of one job.
struct JobRun {
  std::uint32_t job = 0;  // index in the history
  base::Time submitted;
  base::Time first_start = schedule::kNever;
  base::Time end = schedule::kNever;
  std::int64_t gpu_milli = 0;  // that it holds while it runs
  base::Duration ran;          // in all attempts
  base::Duration lost;         // of that: done twice, or restart cost
  std::int32_t starts = 0;
  schedule::JobOutcome outcome = schedule::JobOutcome::kUnknown;
};

struct ReplayResult {
  std::vector<JobRun> jobs;             // in the order of the history
  base::Time first;                     // first submission
  base::Time last;                      // last end
  std::int64_t capacity_milli_ms = 0;   // GPU milli x ms there were, first to last
  std::int64_t allocated_milli_ms = 0;  // held by jobs
  // Idle while jobs waited, by the reason of the first of them (index: Reason::Kind).
  std::array<std::int64_t, schedule::kReasons> idle_waiting_milli_ms{};
  std::int64_t preemptions = 0;
  std::int64_t cycles = 0;
  std::uint64_t digest = 0;  // over all decisions
};

// Errors: an unknown policy or placement, a job that `check` refuses, no jobs.
base::Result<ReplayResult> replay(const ReplayInput& input);

}  // namespace headroom::simulate
