// TaskMix: how often each request occurs, as whole counts: what a placement may know of the work to
// come. For an experiment it is counted from the whole task list, for a live scheduler from
// history.
#pragma once

#include <cstdint>
#include <vector>

#include "model/request.h"

namespace headroom::schedule {

struct TaskClass {
  model::Request request;
  std::int64_t count = 0;
};

using TaskMix = std::vector<TaskClass>;  // no two requests equal, sorted by request

// O(n log n).
TaskMix count_classes(const std::vector<model::Task>& tasks);

// The typical classes of the fragmentation paper: requests without their memory, most frequent
// first (ties: the larger (cpu, GPU milli, GPUs, models) first), cut after the first that brings
// the cumulative count to `percent` % of all tasks. Source: docs/placement.md, "The published
// rules".
TaskMix typical_classes(const TaskMix& mix, int percent = 95);

}  // namespace headroom::schedule
