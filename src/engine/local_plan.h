// LocalPlan: what a supervisor is told: an allocation worked out for this machine. The engine
// writes it into the allocation's folder, which only the server's user may read: it holds the job's
// environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace headroom::engine {

using Variables = std::vector<std::pair<std::string, std::string>>;

struct LocalTask {
  std::int64_t group = 0;
  std::int64_t task = 0;
  std::int64_t rank = 0;
  std::string node;
  std::int64_t cpu_milli = 0;  // 0: no limit
  std::int64_t memory = 0;     // bytes; 0: no limit
  std::string output;          // the user's own file, patterns filled in; empty: none
  Variables env;               // HEADROOM_*, CUDA_VISIBLE_DEVICES
};

struct LocalPlan {
  model::AllocationId id;
  std::uint64_t epoch = 0;
  std::string boot;   // of the machine, when it was written: it is never started after another one
  std::string token;  // in the environment of every process, to find those that got away
  std::string user;   // empty: the server's
  std::string run;
  std::string workdir;  // empty: the user's home
  Variables env;        // the job's
  int checkpoint_signal = 0;
  std::int64_t checkpoint_ms = 0;
  std::int64_t limit_ms = 0;  // 0: none
  std::int64_t limit_grace_ms = 0;
  std::int64_t failed_grace_ms = 0;  // between TERM and KILL for the others when one task failed
  std::int64_t launch_ms = 0;
  unsigned umask = 022;
  std::string group_all;  // cgroup folders (local_cgroup.h); empty: none
  std::string group_cpu;
  std::string group_memory;
  std::string logs;  // folder
  std::int64_t log_segment = 0;
  int log_segments = 0;
  std::vector<LocalTask> tasks;
};

// The texts must be UTF-8.
std::string print_plan(const LocalPlan& plan);
base::Result<LocalPlan> parse_plan(const std::string& text);

// "1041-2", "1041.7-2": names the folder of an allocation.
std::string allocation_name(const model::AllocationId& id);
std::optional<model::AllocationId> parse_allocation_name(std::string_view name);
std::string job_name(const model::JobId& id);  // "1041", "1041.7"

}  // namespace headroom::engine
