// Reader of Slurm's accounting as `sacct -P` prints it, with any --format: the first line names the
// columns. JobID, State and Submit must be there, and how long a job ran must follow from Elapsed,
// ElapsedRaw or Start and End; the more of the others there are, the more is known. Useful:
//
//   sacct -P -a -D -S 2026-09-01 --format=JobID,JobName,User,Account,Partition,QOS,State,Submit,
//     Eligible,Start,End,Elapsed,Timelimit,ReqTRES,AllocTRES,NNodes,NodeList,SubmitLine,Cluster
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/slurm_history.h"

namespace headroom::formats {

// Adds every row to the history. Strict: the first bad row is the error.
base::Result<void> read_sacct_text(const std::string& name, std::string_view text,
                                   SlurmHistory& history);

}  // namespace headroom::formats
