// generate: a workload out of a seed, and the cluster that it is for.
//
//   hpc    30 days, 64 x 8 GPUs, load 0.9; six queues without guarantees; batch jobs of 1..256
//   GPUs,
//          mostly powers of two
//   mixed  7 days, 32 x 8 GPUs, load 1.0; four queues with guarantees: training gangs (55 % of the
//          GPU time), one-GPU batch (20 %), fractions of a GPU (5 %), services (20 %)
//
// Rule      Jobs are submitted in the rhythm of a working week. A user works on one thing for about
//           ten jobs, all of one name and size, then on another. Run times are log-normal (hpc:
//           median 40 min, sigma 1.6), the thing worked on making up 64 % of the variance; limits
//           are round times of 1.2 to 8 times the run. Some jobs fail or are cancelled. Services
//           run while a curve over the day needs them, and have no limit.
// Load      GPU time of all jobs ÷ that of the cluster in these days. The last job of each queue is
//           cut to fit.
//
// Pure: whole numbers only; the same input gives the same jobs on every machine. O(jobs * log
// jobs).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/history.h"
#include "model/site.h"

namespace headroom::simulate {

struct GenerateInput {
  std::string load_name = "hpc";  // one of load_names()
  std::uint64_t seed = 0;
  std::int64_t days = 0;  // here and below 0: as above
  std::int64_t load_permille = 0;
  std::int64_t nodes = 0;  // of eight GPUs
};

struct Generated {
  model::Site site;
  model::History jobs;
};

const std::vector<std::string>& load_names();

// Errors: an unknown name; a number that is negative or so large that there would be millions of
// jobs.
base::Result<Generated> generate(const GenerateInput& input);

}  // namespace headroom::simulate
