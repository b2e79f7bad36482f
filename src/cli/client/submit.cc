// headroom submit: hands jobs to the server.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client/submission.h"
#include "cli/client_verbs.h"
#include "cli/text.h"

namespace headroom::cli {

namespace {

constexpr const char* kDetails =
    "Takes a job.yaml (several jobs: separated by ---), a script whose head has #SBATCH or #HR "
    "lines, or a command behind --. Flags win over what a file says. Of a script, what has no "
    "counterpart here is dropped and told on standard error. Several jobs are all checked before "
    "the first is submitted.";

struct SubmitOptions {
  ServerFlags server;
  OutputFlags output;
  JobFlags job;
  bool parsable = false;
  bool dry_run = false;
  bool explain = false;
};

std::string line_for(const Json& job, const SubmitOptions& options) {
  const std::string id = text_of(job, "id");
  if (options.parsable) return id + "\n";
  const std::string queue = text_of(job, "queue");
  return options.dry_run ? fmt::format("would be accepted in queue {}\n", printable(queue))
                         : fmt::format("job {} in queue {}\n", id, printable(queue));
}

int run_submit(const SubmitOptions& options) {
  const auto source = read_job_source(options.job);
  if (!source) return fail_with({kUsage, source.error().message});
  tell_import(*source, options.job.file, options.explain);
  return with_client(options.server, [&](Client& client) {
    const Submission done = submit_jobs(client, *source, options.dry_run);
    for (const Json& job : done.submitted) {
      const int printed = put(options.output.is_table() ? line_for(job, options)
                                                        : document_text(job, options.output));
      if (printed != kOk) return printed;
    }
    if (done.failures.empty()) return static_cast<int>(kOk);
    const int code = fail_with(done.failures.front());
    return done.submitted.empty() ? code : static_cast<int>(kPartlyFailed);
  });
}

}  // namespace

Command submit_command() {
  const auto options = std::make_shared<SubmitOptions>();
  std::vector<Flag> flags = job_flags(options->job);
  flags.push_back({"--parsable", "", "print the id alone", &options->parsable});
  flags.push_back({"--dry-run", "", "check only; nothing is submitted", &options->dry_run});
  flags.push_back(
      {"--explain-import", "", "tell what became of each line of a script", &options->explain});
  flags = joined(std::move(flags), output_flags(options->output, false));
  return {.name = "submit",
          .summary = "Submit a job.yaml, a script or a command",
          .details = kDetails,
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = {{"submit examples/live/hello.yaml", "a job.yaml; prints its id"},
                       {"submit examples/live/train.sh --explain-import",
                        "a script of sbatch, and what was made of it"},
                       {"submit -q production -G 1 -t 10min --parsable -- sleep 1",
                        "a command on one GPU"}},
          .run = [options] { return run_submit(*options); },
          .rest = &options->job.command};
}

}  // namespace headroom::cli
