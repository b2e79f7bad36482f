// Reader of `scontrol show job`: every job that the controller still knows, in the form of
// slurm_history.h.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/slurm_history.h"

namespace headroom::formats {

base::Result<void> read_scontrol_jobs(const std::string& name, std::string_view text,
                                      SlurmHistory& history);

}  // namespace headroom::formats
