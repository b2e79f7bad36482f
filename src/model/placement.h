// Placement: where each task of a job runs, down to the device. And the ids of jobs and
// allocations, which are never reused.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "model/cluster.h"

namespace headroom::model {

// A job, or one element of a job array (`1041.7`).
struct JobId {
  std::int64_t number = 0;
  std::int64_t element = -1;  // -1: not an array
  friend auto operator<=>(const JobId&, const JobId&) = default;
};

std::string to_text(JobId id);  // "1041", "1041.7"
// "1041" or "1041.7"; none for anything else.
std::optional<JobId> parse_job_id(std::string_view text);

// One attempt to run a job. Every order to an engine carries it, with the epoch of who gave it.
struct AllocationId {
  JobId job;
  std::int64_t attempt = 0;
  friend auto operator<=>(const AllocationId&, const AllocationId&) = default;
};

// What a task holds of one GPU: a share of it, or a MIG instance.
struct DeviceUse {
  int gpu = 0;              // index in its node
  base::GpuMilli share;     // 1000: all of it
  std::string mig_profile;  // empty: no MIG
  int mig_start = 0;        // first memory slice
  friend bool operator==(const DeviceUse&, const DeviceUse&) = default;
};

struct TaskPlacement {
  std::int64_t group = 0;  // index in Job::groups
  std::int64_t task = 0;   // index in the group
  NodeId node;
  std::vector<DeviceUse> devices;
  friend bool operator==(const TaskPlacement&, const TaskPlacement&) = default;
};

using Placement = std::vector<TaskPlacement>;

// How one GPU is cut: the MIG instances, by first slice; empty: not cut.
struct MigLayout {
  NodeId node;
  int gpu = 0;
  std::vector<DeviceUse> instances;
  friend bool operator==(const MigLayout&, const MigLayout&) = default;
};

}  // namespace headroom::model
