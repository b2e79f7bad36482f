// Job streams: the jobs of one queue of a generated load, until they add up to the GPU time that is
// asked for. A user works on one thing for about ten jobs, all of one name and size; how long they
// take varies more between things than within one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "base/rng.h"
#include "model/history.h"
#include "simulate/week.h"

namespace headroom::simulate {

struct SizeWeight {
  std::int64_t gpu_milli;  // below 1000: a share; else whole GPUs, eight a task
  std::int64_t weight;
};

struct StreamSpec {
  std::string queue;
  model::JobKind kind = model::JobKind::kBatch;
  std::vector<std::string> names;
  std::vector<SizeWeight> sizes;
  base::Duration median;   // of the run times
  std::int64_t sigma = 0;  // of their logarithms, in thousandths
  std::int64_t part = 0;   // of the GPU time of all streams, in thousandths
};

// GPU milli x ms.
std::int64_t gpu_time(const model::HistoricJob& job);

// What a job asks for that holds so much: eight cores and 64 GiB a GPU.
model::TaskGroup tasks_for(std::int64_t gpu_milli);

// Adds jobs of together `work` GPU milli x ms (the last one, cut to fit, runs at least ten
// seconds), in order of submission, without ids.
void add_stream(const StreamSpec& spec, std::int64_t work, const Week& week, base::Rng& rng,
                std::vector<model::HistoricJob>& jobs);

// Adds services that need `work` at most, and at their peak at most `most_gpus`.
void add_services(const std::string& queue, std::int64_t work, std::int64_t most_gpus,
                  const Week& week, base::Rng& rng, std::vector<model::HistoricJob>& jobs);

}  // namespace headroom::simulate
