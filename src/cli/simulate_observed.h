// headroom simulate --observed: a replay beside what truly happened.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/simulate.h"
#include "simulate/observed.h"

namespace headroom::cli {

struct ObservedRun {
  std::string policy;
  simulate::ReplayInput input;  // what was replayed
  simulate::ReplayResult result;
  simulate::Observed observed;
};

// The policy is the one that is given, else that of the system that wrote the history. Errors:
// those of read_replay; the policy is not known; the history does not tell when jobs ran; flags
// that ask for something else than what happened.
base::Result<ObservedRun> replay_observed(SimulateOptions options, std::vector<std::string>& notes);

std::string observed_json(const ObservedRun& run);
std::string observed_csv(const ObservedRun& run);
// What each job waited, then and in the replay.
std::string observed_job_log(const ObservedRun& run);
std::string observed_table(const ObservedRun& run, std::size_t width);

}  // namespace headroom::cli
