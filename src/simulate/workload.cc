#include "simulate/workload.h"

#include <algorithm>

namespace headroom::simulate {

Workload make_workload(std::vector<model::Task> tasks) {
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const model::Task& a, const model::Task& b) { return a.name < b.name; });
  Workload workload;
  workload.mix = schedule::count_classes(tasks);
  for (const schedule::TaskClass& one : workload.mix) workload.requests.push_back(one.request);
  for (const model::Task& task : tasks) {
    const auto at =
        std::lower_bound(workload.requests.begin(), workload.requests.end(), task.request);
    workload.request_of.push_back(static_cast<std::uint32_t>(at - workload.requests.begin()));
  }
  return workload;
}

}  // namespace headroom::simulate
