// Scripts as they are given to sbatch: the lines at their head that begin with #SBATCH or #HR say
// what the job needs, the rest is what it runs.
//
//   #!/bin/bash
//   #SBATCH --gres=gpu:h100:8 -t 4:00:00      flags of sbatch
//   #HR queue: research/vision                keys of job.yaml; they win over #SBATCH
//   torchrun train.py
//
// The result is a job.yaml as a tree, with the whole script as `run`. It is not checked against a
// cluster: names of queues and GPUs are for the server to know. A flag that has no counterpart is
// dropped and told; one that is dropped would make another job of it (a list as --array, an unknown
// flag) is an error with its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "formats/history.h"
#include "formats/value.h"

namespace headroom::formats {

struct BatchOptions {
  QueueSource queue = QueueSource::kAccount;  // which flag names the queue
  std::string time_zone;                      // of --begin and --deadline; empty: UTC
  base::Time now;                             // what their "now" means
};

struct BatchLine {
  int line = 0;
  std::string flag;  // "--gres=gpu:h100:8"
  std::string says;  // what it became, or why it was dropped
  friend bool operator==(const BatchLine&, const BatchLine&) = default;
};

struct BatchScript {
  Value document;
  std::vector<BatchLine> mapped;
  std::vector<BatchLine> dropped;
  std::vector<std::string> notes;  // what was guessed
};

// By its first line (#!) or a line with #SBATCH or #HR at its head.
bool is_batch_script(std::string_view text);

// `path` names the job where no flag does, and stands in messages. Errors: every line that is
// wrong.
base::Result<BatchScript> read_batch_script(const std::string& path, const std::string& text,
                                            const BatchOptions& options);

}  // namespace headroom::formats
