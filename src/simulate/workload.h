// Workload: a task list prepared for many runs: its distinct requests, and which task asks which.
#pragma once

#include <cstdint>
#include <vector>

#include "model/request.h"
#include "schedule/task_mix.h"

namespace headroom::simulate {

struct Workload {
  std::vector<model::Request> requests;   // distinct, sorted
  std::vector<std::uint32_t> request_of;  // by task, in the order of the task names
  schedule::TaskMix mix;                  // how often each request occurs
};

// O(n log n). Sorts by name, so that a run depends on the tasks and not on the order of a file.
Workload make_workload(std::vector<model::Task> tasks);

}  // namespace headroom::simulate
