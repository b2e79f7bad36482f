// Submitting what a JobSource holds, for `submit` and `run`.
#pragma once

#include <string>
#include <vector>

#include "cli/client/client.h"
#include "cli/client/job_flags.h"

namespace headroom::cli {

// The jobs as the server answers. Several jobs are tried before the first is submitted. A job that
// fails after others were submitted ends it: `submitted` has those before it.
struct Submission {
  std::vector<Json> submitted;
  std::vector<Failure> failures;  // at most one
};
Submission submit_jobs(Client& client, const JobSource& source, bool dry_run);

// The failure with the name of the file that the user knows where the server has its own.
Failure named(Failure failure, const std::string& servers, const std::string& ours);

// What was dropped from a script, on standard error; everything with `explain`.
void tell_import(const JobSource& source, const std::string& path, bool explain);

}  // namespace headroom::cli
