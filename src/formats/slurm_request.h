// What a job of Slurm's accounting asked for, as groups of equal tasks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/slurm_job.h"
#include "model/job.h"

namespace headroom::formats {

// One task on each node; where GPUs or cores do not divide evenly, some nodes have one more. What
// had to be guessed is counted in `counts`, by a text for people.
std::vector<model::TaskGroup> slurm_groups(const SlurmJob& job,
                                           std::map<std::string, std::int64_t>& counts);

// A site's word for a type of GPU (nvidia_h100_nvl) as the catalogue spells names (h100-nvl).
std::string gpu_word(std::string type);

// Dependencies and GPUs that a line such as `sbatch -d afterok:12 --gpus-per-node=8 …` shows.
struct SubmitLine {
  std::string after;
  std::int64_t gpus = 0;           // of the job
  std::int64_t gpus_per_node = 0;  // 0: not told
};
SubmitLine parse_submit_line(std::string_view text);

}  // namespace headroom::formats
