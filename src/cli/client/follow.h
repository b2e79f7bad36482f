// Following one job: until it starts, through its log, to its end.
#pragma once

#include <cstdint>
#include <string>

#include "cli/client/client.h"

namespace headroom::cli {

struct FollowOptions {
  std::int64_t rank = 0;
  bool quiet = false;          // no line about what it waits for
  bool keeps_running = false;  // Ctrl-C leaves the job alone
};

// Writes what the job prints to standard output as it comes. Ctrl-C cancels the job (unless
// keeps_running) and goes on to its end; a second one leaves it. Returns the job's own exit code:
// 128 + signal if one ended it.
int follow_job(Client& client, const std::string& id, const FollowOptions& options);

// The exit code of a job that has ended: its own, 128 + signal, 6 if it was rejected, else 1.
int exit_code_of_job(const Json& job);

}  // namespace headroom::cli
