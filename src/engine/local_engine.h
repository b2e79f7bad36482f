// LocalEngine: runs jobs as child processes of this machine (docs/engines.md). All nodes of the
// cluster are this machine: a node is a name. What runs is kept by one supervisor an allocation,
// which outlives the server; the engine's folder says what there is, so that the next engine on the
// same folder finds it again.
//
// That there was a launch is durable before its supervisor is started. One thread of its own does
// what takes time; calls only check and hand over. It holds one descriptor open an allocation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/supervisor.h"

namespace headroom::engine {

struct LocalOptions {
  std::string folder;  // made when missing; only one engine at a time may have it
  // The command that runs run_hub(folder): this program with its hidden verb.
  std::vector<std::string> hub;
  base::Duration launch_time{60'000};   // for all tasks to be set up
  base::Duration limit_grace{30'000};   // between TERM and KILL at the time limit
  base::Duration failed_grace{10'000};  // the same for the others when one task failed
  unsigned umask = 022;                 // of jobs
  std::int64_t log_segment = std::int64_t{16} << 20;  // bytes; a rank keeps so many segments
  int log_segments = 4;
  std::string nvml = "libnvidia-ml.so.1";  // empty: GPUs are what cluster.yaml declares
  bool cgroups = true;                     // false: as where they cannot be written
  Step step;                               // tests end the process between two steps
};

// Errors: the folder cannot be used, or another engine has it.
base::Result<std::unique_ptr<Engine>> open_local_engine(LocalOptions options);

}  // namespace headroom::engine
