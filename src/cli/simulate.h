// headroom simulate: a history of jobs through the scheduler, in virtual time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "simulate/replay.h"
#include "simulate/summary.h"

namespace headroom::cli {

struct SimulateOptions {
  std::string site;
  std::string jobs;
  std::string format = "auto";
  std::vector<std::string> policies;  // empty: all
  std::string placement = "headroom_learned";
  std::string time_zone;
  std::string checkpoint = "30min";
  std::string restart = "5min";
  std::int64_t reservations = 1;
  std::int64_t threads = 0;  // 0: one a core
  std::string output;        // table, json, csv
  bool lenient = false;
};

// What a policy made of the history.
struct PolicyRun {
  std::string policy;
  simulate::Summary summary;
  simulate::Fairness fairness;
};

// Reads the files and checks everything; queues that jobs name and the site does not are added, of
// equal weight. `notes` gets a line for what was added or left out.
base::Result<simulate::ReplayInput> read_replay(const SimulateOptions& options,
                                                std::vector<std::string>& notes);

std::string simulate_json(const SimulateOptions& options, const simulate::ReplayInput& input,
                          const std::vector<PolicyRun>& runs, double seconds);
std::string simulate_csv(const std::vector<PolicyRun>& runs);
std::string simulate_table(const std::vector<PolicyRun>& runs, std::size_t width);

}  // namespace headroom::cli
