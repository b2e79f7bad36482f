// headroom token: who may call the server, from other machines and programs.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client_verbs.h"

namespace headroom::cli {

namespace {

struct TokenOptions {
  ServerFlags server;
  OutputFlags output;
  std::string what;
  std::vector<std::string> ids;
  std::string name;
  std::string user;
  std::string lasts;
  std::vector<std::string> scopes;
};

int create(Client& client, const TokenOptions& options) {
  if (options.name.empty()) {
    return fail_with({kUsage, "token create: --name: a token has one, to know it again by"});
  }
  Json body{{"name", options.name}};
  if (!options.user.empty()) body["user"] = options.user;
  if (!options.scopes.empty()) body["scopes"] = options.scopes;
  if (!options.lasts.empty()) body["lasts"] = options.lasts;
  const Reply<Json> answer = client.send("POST", "/tokens", {}, body.dump());
  if (!answer) return fail_with(answer.error());
  if (!options.output.is_table()) return put(document_text(*answer, options.output));
  fmt::print(stderr, "token {}: it is shown this once\n", text_of(*answer, "id"));
  return put(text_of(*answer, "token") + "\n");
}

int list(Client& client, const TokenOptions& options) {
  Reply<Listing> listing = client.list("/tokens");
  if (!listing) return fail_with(listing.error());
  const std::vector<ItemColumn> columns{{.key = "id", .title = "ID"},
                                        {.key = "name", .title = "NAME"},
                                        {.key = "user", .title = "USER"},
                                        {.key = "scopes", .title = "SCOPES"},
                                        {.key = "created", .title = "CREATED"},
                                        {.key = "expires", .title = "EXPIRES"},
                                        {.key = "last_used", .title = "LAST USED"},
                                        {.key = "revoked", .title = "REVOKED"}};
  return print_items(columns, std::move(*listing), options.output, "no tokens");
}

int revoke(Client& client, const TokenOptions& options) {
  if (options.ids.empty()) return fail_with({kUsage, "token revoke: an ID is needed"});
  for (const std::string& id : options.ids) {
    const Reply<Json> answer = client.send("DELETE", "/tokens/" + url_encoded(id));
    if (!answer) return fail_with(answer.error());
    fmt::print(stderr, "token {}: revoked\n", id);
  }
  return kOk;
}

int run_token(const TokenOptions& options) {
  return with_client(options.server, [&](Client& client) {
    if (options.what == "create") return create(client, options);
    return options.what == "list" ? list(client, options) : revoke(client, options);
  });
}

}  // namespace

Command token_command() {
  const auto options = std::make_shared<TokenOptions>();
  std::vector<Flag> flags{
      {"what",
       "create|list|revoke",
       "what to do",
       &options->what,
       true,
       {"create", "list", "revoke"}},
      {"ids", "ID...", "to revoke", &options->ids},
      {"--name", "TEXT", "what a new token is for", &options->name},
      {"--user", "NAME", "whose it is; default: yours", &options->user},
      {"--scope", "NAME,...", "what it may do at most", &options->scopes},
      {"--lasts", "TIME", "it opens nothing after so long, as 30d; default: for ever",
       &options->lasts}};
  flags = joined(std::move(flags), output_flags(options->output, true));
  return {.name = "token",
          .summary = "Create, list and revoke tokens",
          .details =
              "A new token is printed once, alone on standard output; the server keeps only "
              "its hash.",
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = {{"token create --name ci --lasts 30d > out/token", "for a program"},
                       {"token list", "those that there are"}},
          .run = [options] { return run_token(*options); }};
}

}  // namespace headroom::cli
