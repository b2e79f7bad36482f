// headroom audit: who changed what.
#include <memory>

#include "cli/client/client_command.h"
#include "cli/client/values.h"
#include "cli/client_verbs.h"

namespace headroom::cli {

namespace {

struct AuditOptions {
  ServerFlags server;
  OutputFlags output;
  std::int64_t most = 100;
};

int run_audit(const AuditOptions& options) {
  if (options.most < 0) return fail_with({kUsage, "--number: it is not 0 or more"});
  return with_client(options.server, [&](Client& client) {
    Reply<Listing> listing = client.pages("/audit", {}, static_cast<std::size_t>(options.most));
    if (!listing) return fail_with(listing.error());
    const std::vector<ItemColumn> columns{{.key = "time",
                                           .title = "TIME",
                                           .cell =
                                               [](const Json& entry) {
                                                 const auto time = time_of(text_of(entry, "time"));
                                                 return time ? full_local_time(*time)
                                                             : text_of(entry, "time");
                                               }},
                                          {.key = "actor", .title = "WHO"},
                                          {.key = "via", .title = "VIA"},
                                          {.key = "verb", .title = "VERB"},
                                          {.key = "object", .title = "OBJECT"},
                                          {.key = "outcome", .title = "OUTCOME"},
                                          {.key = "detail", .title = "DETAIL"},
                                          {.key = "address", .title = "ADDRESS", .wide_only = true},
                                          {.key = "request", .title = "REQUEST", .wide_only = true},
                                          {.key = "hash", .title = "HASH", .wide_only = true}};
    return print_items(columns, std::move(*listing), options.output, "no entries");
  });
}

}  // namespace

Command audit_command() {
  const auto options = std::make_shared<AuditOptions>();
  std::vector<Flag> flags{{"-n,--number", "N", "at most so many; 0: all", &options->most}};
  flags = joined(std::move(flags), output_flags(options->output, true));
  return {.name = "audit",
          .summary = "List who changed what, the latest first",
          .details =
              "Every entry carries the hash of the one before it, so that none can be taken "
              "out unnoticed.",
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = {{"audit -n 10", "the last ten"}},
          .run = [options] { return run_audit(*options); }};
}

}  // namespace headroom::cli
