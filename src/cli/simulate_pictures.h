// What happened over time in one run, for the page of `headroom simulate`: GPUs by queue and jobs
// that waited by cause, for the charts and as a table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/simulate.h"
#include "cli/table.h"

namespace headroom::cli {

// The queues that have a colour of their own, the one with most GPU hours first; the others are
// one.
struct ShownQueues {
  static constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  std::size_t others = 0;

  // Also the others' place, which is the last.
  std::size_t place_of(const std::string& queue) const;
  std::size_t size() const { return names.size() + (others > 0 ? 1 : 0); }
  std::string name(std::size_t place) const;
  static int colour(std::size_t place);  // p0..p8 of report.css
};

// By the GPU hours of that run.
ShownQueues shown_queues(const SimulateRun& run);

// The GPUs of a run by step of its timeline: means over each step, exact.
struct GpuSteps {
  std::vector<std::vector<double>> queues;  // by place and step: held by what runs
  std::vector<double> gathering;            // held by jobs that wait for members
  std::vector<double> free;                 // of use to typical tasks
  std::vector<double> unusable;             // free, of no use to typical tasks
  std::vector<double> out;                  // on nodes that have failed
  double most = 0;                          // GPUs that there are
};

GpuSteps gpu_steps(const SimulateRun& run, const ShownQueues& queues);

// {start, length, step, ticks, gpus: {…}, waiting: {…}} of one run.
nlohmann::ordered_json picture_json(const SimulateRun& run, const ShownQueues& queues);

// The same in twelve parts of the time.
Table picture_table(const SimulateRun& run, const ShownQueues& queues);

}  // namespace headroom::cli
