// Waiting for the reports of an engine, for tests and benchmarks.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "engine/local_folder.h"

namespace headroom::engine {

// Takes reports until every one of these allocations has an end; by allocation. After the patience
// some are missing.
inline std::map<model::AllocationId, Report> wait_for_ends(
    Engine& engine, const std::vector<model::AllocationId>& ids,
    std::chrono::seconds patience = std::chrono::seconds(60)) {
  std::map<model::AllocationId, Report> ends;
  const auto until = std::chrono::steady_clock::now() + patience;
  const auto complete = [&] {
    for (const model::AllocationId& id : ids) {
      if (!ends.contains(id)) return false;
    }
    return true;
  };
  while (true) {
    for (const Report& report : engine.reports()) {
      if (is_end(report.kind)) ends.emplace(report.id, report);
    }
    if (complete() || std::chrono::steady_clock::now() >= until) return ends;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

inline Launch launch_of(std::int64_t number, const std::string& run) {
  Launch launch;
  launch.id = {.job = {.number = number}, .attempt = 1};
  launch.epoch = 1;
  launch.cluster = "test";
  launch.job.job = "story";
  launch.job.run = run;
  launch.tasks.push_back({.node = "n1"});
  return launch;
}

}  // namespace headroom::engine
