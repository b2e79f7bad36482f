// headroom apply: changes nodes, queues and limits of the running server.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client/submission.h"
#include "cli/client_verbs.h"
#include "cli/text.h"
#include "formats/file.h"

namespace headroom::cli {

namespace {

struct ApplyOptions {
  ServerFlags server;
  OutputFlags output;
  std::string file;
  bool dry_run = false;
};

int run_apply(const ApplyOptions& options) {
  const auto text = formats::read_file(options.file, formats::kLargestYaml);
  if (!text) return fail_with({kUsage, text.error().message});
  return with_client(options.server, [&](Client& client) {
    const Reply<Json> answer = client.send(
        "PUT", "/cluster", {{"dryRun", options.dry_run ? "true" : ""}}, *text, "application/yaml");
    if (!answer) return fail_with(named(answer.error(), "cluster.yaml", options.file));
    const Json* const changes = field_at(*answer, "changes");
    const bool differs = changes != nullptr && changes->is_array() && !changes->empty();
    std::string out;
    if (!options.output.is_table()) {
      out = document_text(*answer, options.output);
    } else if (differs) {
      for (const Json& change : *changes) out += printable(cell_text(&change)) + "\n";
    }
    if (const int code = put(out); code != kOk) return code;
    if (!differs) fmt::print(stderr, "{}: nothing to change\n", options.file);
    return static_cast<int>(differs && options.dry_run ? kDifference : kOk);
  });
}

}  // namespace

Command apply_command() {
  const auto options = std::make_shared<ApplyOptions>();
  std::vector<Flag> flags{
      {"file", "FILE", "a cluster.yaml", &options->file, true},
      {"--dry-run", "", "show the changes only; exit code 10 if there are any", &options->dry_run}};
  flags = joined(std::move(flags), output_flags(options->output, false));
  return {.name = "apply",
          .summary = "Change nodes, queues and limits while the server runs",
          .details =
              "Prints what changes, a line each. A cluster.yaml that cannot be is refused "
              "whole.",
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = {{"apply examples/live/cluster.yaml", "as the file says"}},
          .run = [options] { return run_apply(*options); }};
}

}  // namespace headroom::cli
