// headroom run: submit, follow, and end as the job ends.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client/follow.h"
#include "cli/client/submission.h"
#include "cli/client_verbs.h"

namespace headroom::cli {

namespace {

constexpr const char* kDetails =
    "Submits one job, shows what it waits for, writes what it prints and ends with its own exit "
    "code (128 + the signal if one ended it). Ctrl-C cancels the job and waits for its end; a "
    "second Ctrl-C leaves it. With --keep, Ctrl-C leaves the job running.";

struct RunOptions {
  ServerFlags server;
  JobFlags job;
  FollowOptions follow;
};

int run_run(const RunOptions& options) {
  const auto source = read_job_source(options.job);
  if (!source) return fail_with({kUsage, source.error().message});
  if (source->jobs.size() > 1) {
    return fail_with({kUsage, options.job.file + ": it has several jobs; run takes one"});
  }
  tell_import(*source, options.job.file, false);
  return with_client(options.server, [&](Client& client) {
    const Submission done = submit_jobs(client, *source, false);
    if (!done.failures.empty()) return fail_with(done.failures.front());
    const std::string id = text_of(done.submitted.front(), "id");
    if (!options.follow.quiet) fmt::print(stderr, "headroom: job {}\n", id);
    return follow_job(client, id, options.follow);
  });
}

}  // namespace

Command run_command() {
  const auto options = std::make_shared<RunOptions>();
  std::vector<Flag> flags = job_flags(options->job);
  flags.push_back({"--rank", "N", "the task whose log is followed", &options->follow.rank});
  flags.push_back({"--quiet", "", "only what the job prints", &options->follow.quiet});
  flags.push_back({"--keep", "", "Ctrl-C leaves the job running", &options->follow.keeps_running});
  return {.name = "run",
          .summary = "Run a command or a job, follow it and end as it ends",
          .details = kDetails,
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = {{"run -q production -G 1 -- echo hello", "a command on one GPU"},
                       {"run examples/live/hello.yaml --quiet", "a job.yaml"}},
          .run = [options] { return run_run(*options); },
          .rest = &options->job.command};
}

}  // namespace headroom::cli
