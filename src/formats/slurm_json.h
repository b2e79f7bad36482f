// Reader of jobs in Slurm's JSON, of the versions 0.0.37 to 0.0.44 of its data parser: `sacct
// --json` and what slurmrestd answers for slurmdb/…/jobs (jobs with `time` and `tres`), `squeue
// --json` and slurm/…/jobs (jobs with `submit_time`). A number is a number, null or
// {"set": true, "infinite": false, "number": 5}, as the version has it; times are seconds since
// 1970.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/slurm_history.h"
#include "formats/value.h"

namespace headroom::formats {

// Adds every job to the history. Strict: the first bad one is the error.
base::Result<void> read_slurm_json(const std::string& name, std::string_view text,
                                   SlurmHistory& history);

// A number of Slurm's JSON: -1 when it is not set, or infinite.
std::int64_t slurm_number(const Value* value);
// A text; a list's first item; empty when it is neither.
std::string slurm_text(const Value* value);

}  // namespace headroom::formats
