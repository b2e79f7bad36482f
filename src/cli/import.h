// What `headroom import` was asked to do, and the histories that it reads.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/history.h"

namespace headroom::cli {

struct ImportOptions {
  std::string what;  // jobs, cluster
  std::vector<std::string> files;
  std::string output;  // empty: standard output
  std::string form;    // csv, jsonl, yaml, sacct; empty: by the name of the output
  std::string format = "auto";
  std::string time_zone;
  std::string cluster;
  std::string queue = "account";
  bool swf_gpus = false;
  bool lenient = false;
};

// All files as one history. A job that is in several of them is taken once: from the file in which
// it has ended, else from the last.
base::Result<model::History> read_histories(const ImportOptions& options);

}  // namespace headroom::cli
