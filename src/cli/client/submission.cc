#include "cli/client/submission.h"

#include <fmt/format.h>

#include "cli/text.h"

namespace headroom::cli {

namespace {

Reply<Json> post(Client& client, const JobDocument& job, bool dry_run) {
  Reply<Json> answer = client.send("POST", "/jobs", {{"dryRun", dry_run ? "true" : ""}}, job.text,
                                   "application/yaml");
  if (!answer) return tl::unexpected(named(answer.error(), "body", job.place));
  return answer;
}

}  // namespace

Failure named(Failure failure, const std::string& servers, const std::string& ours) {
  std::string text;
  for (std::size_t at = 0; at <= failure.message.size();) {
    const std::size_t end = std::min(failure.message.find('\n', at), failure.message.size());
    std::string line = failure.message.substr(at, end - at);
    if (line.starts_with(servers + ":")) line.replace(0, servers.size(), ours);
    text += (at == 0 ? "" : "\n") + line;
    at = end + 1;
  }
  failure.message = text;
  return failure;
}

Submission submit_jobs(Client& client, const JobSource& source, bool dry_run) {
  Submission done;
  const bool try_first = source.jobs.size() > 1 && !dry_run;
  for (const bool trying : {true, false}) {
    if (trying && !try_first) continue;
    for (const JobDocument& job : source.jobs) {
      const Reply<Json> answer = post(client, job, dry_run || trying);
      if (!answer) {
        done.failures.push_back(answer.error());
        return done;
      }
      if (!trying) done.submitted.push_back(*answer);
    }
  }
  return done;
}

void tell_import(const JobSource& source, const std::string& path, bool explain) {
  if (!source.is_script) return;
  formats::BatchScript told = source.script;
  if (!explain) {
    told.mapped.clear();
    told.notes.clear();
  }
  const std::string text = explained(told, path);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    fmt::print(stderr, "{}\n", printable(text.substr(at, end - at)));
    at = end + 1;
  }
}

}  // namespace headroom::cli
