// headroom ps: jobs.
#include <fmt/format.h>

#include <memory>
#include <thread>

#include "cli/client/client_command.h"
#include "cli/client/job_table.h"
#include "cli/client_verbs.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "cli/text.h"

namespace headroom::cli {

namespace {

struct PsOptions {
  ServerFlags server;
  OutputFlags output;
  std::vector<std::string> ids;
  bool all_states = false;
  bool all_users = false;
  bool watch = false;
  std::int64_t most = 0;
  std::string state;
  std::string user;
  std::string queue;
  std::string name;
};

Reply<Listing> read_ids(Client& client, const PsOptions& options) {
  Listing listing;
  for (const std::string& id : options.ids) {
    Reply<Json> job = client.get("/jobs/" + url_encoded(id));
    if (!job) return tl::unexpected(job.error());
    listing.items.push_back(std::move(*job));
  }
  return listing;
}

Reply<Listing> read_jobs(Client& client, const PsOptions& options) {
  if (!options.ids.empty()) return read_ids(client, options);
  std::string user = options.user;
  if (user.empty() && !options.all_users) {
    const Reply<Json> me = client.get("/whoami");
    if (!me) return tl::unexpected(me.error());
    user = text_of(*me, "user");
  }
  std::string state = options.all_states ? "all" : options.state;
  const Query query{
      {"state", state}, {"user", user}, {"queue", options.queue}, {"name", options.name}};
  return client.pages("/jobs", query, static_cast<std::size_t>(options.most));
}

int print_jobs(Listing listing, const PsOptions& options) {
  const bool more = listing.more;
  const std::size_t count = listing.items.size();
  const std::string nothing =
      options.all_states ? "no jobs" : "no jobs; -a shows ended ones, -A all users'";
  const int code = print_items(job_columns(), std::move(listing), options.output, nothing);
  if (code == kOk && more && options.output.is_table()) {
    fmt::print(stderr, "the first {}; there are more (-n)\n",
               grouped(static_cast<std::int64_t>(count)));
  }
  return code;
}

// Redraws until Ctrl-C.
int watch_jobs(Client& client, const PsOptions& options) {
  const Interrupt interrupt;
  while (!Interrupt::requested()) {
    Reply<Listing> listing = read_jobs(client, options);
    if (!listing) return fail_with(listing.error());
    put("\x1b[H\x1b[2J");
    if (const int code = print_jobs(std::move(*listing), options); code != kOk) return code;
    for (int i = 0; i < 20 && !Interrupt::requested(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  return kOk;
}

int run_ps(const PsOptions& options) {
  if (options.most < 0) return fail_with({kUsage, "--number: it is not 0 or more"});
  if (options.watch && (!options.output.is_table() || !inspect_terminal(1).is_terminal)) {
    return fail_with({kUsage, "--watch: only as a table on a terminal"});
  }
  return with_client(options.server, [&](Client& client) {
    if (options.watch) return watch_jobs(client, options);
    Reply<Listing> listing = read_jobs(client, options);
    if (!listing) return fail_with(listing.error());
    return print_jobs(std::move(*listing), options);
  });
}

}  // namespace

Command ps_command() {
  const auto options = std::make_shared<PsOptions>();
  std::vector<Flag> flags{
      {"ids", "ID...", "these jobs; default: yours that have not ended", &options->ids},
      {"-a,--all", "", "in every state, ended ones too", &options->all_states},
      {"-A,--all-users", "", "of all users", &options->all_users},
      {"-u,--user", "NAME", "of this user", &options->user},
      {"-q,--queue", "QUEUE", "of this queue and those below it", &options->queue},
      {"--name", "NAME", "of this name; * and ? stand for any characters", &options->name},
      {"--state",
       "STATE",
       "default: active",
       &options->state,
       false,
       {"active", "waiting", "held", "running", "finished", "completed", "failed", "cancelled",
        "timed_out", "rejected", "all"}},
      {"-n,--number", "N", "at most so many; 0: all", &options->most},
      {"-w,--watch", "", "again every two seconds, until Ctrl-C", &options->watch}};
  flags = joined(std::move(flags), output_flags(options->output, true));
  return {.name = "ps",
          .summary = "List jobs: yours that have not ended, unless told otherwise",
          .details =
              "TIME is how long a job has run, or waited. For a waiting job the last column "
              "has the reason; headroom why tells more.",
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = {{"ps -A", "what waits and runs"},
                       {"ps -a -A -n 20 -o json", "the last 20 of all, for a program"},
                       {"ps -A --columns id,user,state --sort user --no-headers", "some columns"}},
          .run = [options] { return run_ps(*options); }};
}

}  // namespace headroom::cli
