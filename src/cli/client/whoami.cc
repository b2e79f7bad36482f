// headroom whoami: who the server takes us for.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client_verbs.h"
#include "cli/text.h"

namespace headroom::cli {

namespace {

constexpr const char* kDetails =
    "The server is that of --server, else of HEADROOM_SERVER, else the context of "
    "~/.config/headroom/config.yaml, else the socket of a server on this machine. The token is "
    "that of --token-file, else of HEADROOM_TOKEN, else the context's. On a socket the system says "
    "who is there, and no token is needed.\n"
    "\n"
    "context: lab\n"
    "contexts:\n"
    "  - {name: lab, server: 'https://gpu.example.org:8443', token_file: "
    "/home/ana/.headroom-token}";

struct WhoamiOptions {
  ServerFlags server;
  OutputFlags output;
};

int run_whoami(const WhoamiOptions& options) {
  return with_client(options.server, [&](Client& client) {
    const Reply<Json> me = client.get("/whoami");
    if (!me) return fail_with(me.error());
    if (!options.output.is_table()) return put(document_text(*me, options.output));
    std::string text = fmt::format("user    {}, by {}\n", printable(text_of(*me, "user")),
                                   printable(text_of(*me, "via")));
    if (const Json* const roles = field_at(*me, "roles"); roles != nullptr && roles->is_array()) {
      for (const Json& role : *roles) {
        const std::string queue = text_of(role, "queue");
        const std::string line = fmt::format("role    {} at {}\n", printable(text_of(role, "role")),
                                             queue.empty() ? "all queues" : printable(queue));
        if (text.find(line) == std::string::npos) text += line;
      }
    }
    return put(text + fmt::format("server  {}\n", client.endpoint().shown));
  });
}

}  // namespace

Command whoami_command() {
  const auto options = std::make_shared<WhoamiOptions>();
  return {.name = "whoami",
          .summary = "Show who you are to the server, and which server it is",
          .details = kDetails,
          .flags = joined(output_flags(options->output, false), server_flags(options->server)),
          .examples = {{"whoami", "user and roles"}},
          .run = [options] { return run_whoami(*options); }};
}

}  // namespace headroom::cli
