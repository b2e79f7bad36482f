// headroom drain, undrain: take nodes out of service and back.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client_verbs.h"

namespace headroom::cli {

namespace {

struct DrainOptions {
  ServerFlags server;
  std::vector<std::string> nodes;
  std::string reason;
  bool dry_run = false;
};

int run_drain(const std::string& verb, const DrainOptions& options) {
  return with_client(options.server, [&](Client& client) {
    int failed = kOk;
    std::size_t failures = 0;
    for (const std::string& node : options.nodes) {
      const std::string body = verb == "drain" ? Json{{"reason", options.reason}}.dump() : "";
      const std::string path = "/nodes/" + url_encoded(node);
      const auto answer =
          options.dry_run ? client.get(path) : client.send("POST", path + "/" + verb, {}, body);
      if (answer) {
        fmt::print(stderr, "node {}: {}{}\n", node, options.dry_run ? "would be " : "",
                   verb == "drain" ? "drained; what runs there goes on" : "in service");
        continue;
      }
      failed = fail_with(answer.error());
      ++failures;
    }
    return failures == 0 || failures == options.nodes.size() ? failed
                                                             : static_cast<int>(kPartlyFailed);
  });
}

Command make(const std::string& verb, const std::string& summary, const std::string& details,
             std::vector<Example> examples) {
  const auto options = std::make_shared<DrainOptions>();
  std::vector<Flag> flags{{"nodes", "NODE...", "nodes", &options->nodes, true},
                          {"--dry-run", "", "look only; nothing changes", &options->dry_run}};
  if (verb == "drain") {
    flags.push_back({"--reason", "TEXT", "shown to everybody", &options->reason, true});
  }
  return {.name = verb,
          .summary = summary,
          .details = details,
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = std::move(examples),
          .run = [verb, options] { return run_drain(verb, *options); }};
}

}  // namespace

Command drain_command() {
  return make("drain", "Let nothing new start on nodes",
              "Jobs that run there go on to their end. headroom nodes shows when a node is empty.",
              {{"drain --reason 'new cable' node2 && headroom undrain node2", "one node"}});
}

Command undrain_command() {
  return make("undrain", "Take drained nodes back into service", "",
              {{"undrain node1 --dry-run", "check only"}});
}

}  // namespace headroom::cli
