// headroom why: the reason why a job waits, or where it is when it does not.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client_verbs.h"
#include "cli/text.h"

namespace headroom::cli {

namespace {

struct WhyOptions {
  ServerFlags server;
  OutputFlags output;
  std::string id;
};

std::string why_text(const Json& why) {
  const std::string state = text_of(why, "state");
  std::string text = fmt::format("job {} is {}", text_of(why, "id"), state);
  const Json* const reason = field_at(why, "reason");
  if (reason == nullptr || !reason->is_object()) return text + "\n";
  text += fmt::format(": {}\n  {}\n", text_of(*reason, "code"), text_of(*reason, "text"));
  for (const auto& [key, value] : reason->items()) {
    if (key != "code" && key != "text") text += fmt::format("  {}: {}\n", key, cell_text(&value));
  }
  return text;
}

int run_why(const WhyOptions& options) {
  return with_client(options.server, [&](Client& client) {
    const Reply<Json> why = client.get("/jobs/" + url_encoded(options.id) + "/why");
    if (!why) return fail_with(why.error());
    return put(options.output.is_table() ? why_text(*why) : document_text(*why, options.output));
  });
}

}  // namespace

Command why_command() {
  const auto options = std::make_shared<WhyOptions>();
  std::vector<Flag> flags{{"id", "ID", "the job", &options->id, true}};
  flags = joined(std::move(flags), output_flags(options->output, false));
  return {.name = "why",
          .summary = "Tell why a job waits",
          .details =
              "The one thing that keeps it from starting, with numbers: quota, resources, "
              "fragmentation, topology, a reservation, a dependency, a hold, …",
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = {{"why \"$(headroom submit -q production --parsable -H -- true)\"",
                        "a job that is held"}},
          .run = [options] { return run_why(*options); }};
}

}  // namespace headroom::cli
