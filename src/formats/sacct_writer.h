// Writes a history as `sacct -P` would print it: the columns that sacct.h reads, times in UTC,
// whole seconds. What a job asked for is told as sums over its tasks, as Slurm does: its groups,
// shares of GPUs and everything else that Slurm has no word for are lost.
#pragma once

#include <string>

#include "model/history.h"

namespace headroom::formats {

std::string write_sacct(const model::History& history);

}  // namespace headroom::formats
