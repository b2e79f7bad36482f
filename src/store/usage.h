// Usage: what GPUs were given to whom, and what came of it, for a time [from, to).
//
// Everything that was allocated falls into exactly one part:
//
//   useful     work that counted: of an attempt that completed all of it, of others whole
//   checkpoint
//              intervals (none without `checkpoint: every`), from its start
//   preempted  work lost because the scheduler stopped it for others
//   failed     work lost because it failed, ran into its time limit, or was lost with its nodes
//   cancelled  work of jobs that somebody cancelled or requeued, after their last checkpoint
//   idle_held  held while nothing ran: from placement to start, from the order to stop to the end
//   running    work of attempts that are not over: what it is worth is not known yet
//
// and of the nodes' GPUs: capacity = allocated + idle + down. That is how simulations count as well
// (simulate/work.h). Amounts are thousandths x milliseconds; docs/store.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "model/job.h"

namespace headroom::store {

constexpr base::Time kOpen{std::int64_t{1} << 62};  // an end that has not come

// Why the rest of an attempt's work was lost.
enum class Waste : std::uint8_t { kNone, kPreempted, kFailed, kCancelled };

struct UsageParts {
  std::int64_t allocated = 0;
  std::int64_t useful = 0;
  std::int64_t preempted = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t idle_held = 0;
  std::int64_t running = 0;
  std::int64_t cpu_allocated = 0;  // thousandths of a core x milliseconds
  friend bool operator==(const UsageParts&, const UsageParts&) = default;
};

// One line of usage; a key that was not asked for is empty.
struct UsageRow {
  std::string queue;
  std::string user;
  std::optional<model::JobKind> kind;
  std::string gpu_model;  // empty: jobs without GPUs
  UsageParts parts;
  friend bool operator==(const UsageRow&, const UsageRow&) = default;
};

struct CapacityRow {
  std::string gpu_model;      // empty: nodes without GPUs
  std::int64_t capacity = 0;  // of the nodes that there were
  std::int64_t down = 0;      // of those, while they had failed
  std::int64_t cpu_capacity = 0;
  std::int64_t node_time = 0;  // milliseconds that nodes were there
  friend bool operator==(const CapacityRow&, const CapacityRow&) = default;
};

struct UsageQuery {
  base::Time from;
  base::Time to;  // at most now
  bool by_queue = false, by_user = false, by_kind = false, by_gpu_model = false;
};

struct Usage {
  std::vector<UsageRow> rows;         // sorted by their keys
  std::vector<CapacityRow> capacity;  // by GPU model
};

// One attempt's life, for `split`.
struct AttemptTimes {
  base::Time placed, started, stopping, ended;  // 0: not (yet)
  base::Time kept;
  Waste waste = Waste::kNone;
};

// Adds what `gpus` thousandths held in [since, until) of this attempt were good for.
void add_parts(UsageParts& sum, const AttemptTimes& attempt, std::int64_t gpus, base::Time since,
               base::Time until);

}  // namespace headroom::store
