// The flags of sbatch as a table: what each says about a job, or why it has no counterpart here.
// Used by batch_script.h alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "formats/history.h"
#include "formats/slurm_values.h"
#include "formats/time_zone.h"
#include "model/job.h"

namespace headroom::formats {

// What the flags of one script ask for. How many tasks there are, and what each gets, depends on
// several flags together and is worked out at the end.
struct BatchRequest {
  QueueSource queue_source = QueueSource::kAccount;
  TimeZone zone;
  base::Time now;

  model::Job job;          // what a flag says alone
  std::int64_t nodes = 0;  // 0: not told, here and below
  std::int64_t tasks = 0;
  std::int64_t tasks_per_node = 0;
  std::int64_t cpus_per_task = 0;
  std::int64_t cpus_per_gpu = 0;
  std::int64_t gpus = 0;
  std::int64_t gpus_per_node = 0;
  std::int64_t gpus_per_task = 0;
  std::string gpu_type;
  base::Bytes memory_per_node;
  base::Bytes memory_per_cpu;
  base::Bytes memory_per_gpu;
  bool exclusive = false;
};

struct BatchFlag {
  enum class Takes : std::uint8_t { kNothing, kValue, kMaybe };  // kMaybe: only behind a "="
  using Apply = std::function<base::Result<void>(BatchRequest&, std::string_view value)>;

  char letter = 0;
  std::string_view name;
  Takes takes = Takes::kNothing;
  std::vector<std::string_view> keys;  // of job.yaml that it gives
  Apply apply;                         // empty: it is dropped
  std::string_view why_dropped;
};

const std::vector<BatchFlag>& batch_flags();

// Whether this flag is dropped under these options: the two of account, partition and QOS that do
// not name the queue.
bool is_dropped(const BatchFlag& flag, QueueSource source);

// The request as a job with groups of equal tasks. `notes` tells what was guessed.
model::Job batch_job(const BatchRequest& request, std::vector<std::string>& notes);

}  // namespace headroom::formats
