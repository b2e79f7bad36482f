// headroom logs: what a job printed.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "cli/client/client_command.h"
#include "cli/client_verbs.h"
#include "cli/interrupt.h"

namespace headroom::cli {

namespace {

struct LogsOptions {
  ServerFlags server;
  std::string id;
  bool follow = false;
  std::int64_t tail = -1;
  std::int64_t rank = 0;
};

bool write_out(std::string_view bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
         std::fflush(stdout) == 0;
}

// What is there now: the last lines, or all of it piece by piece. Returns the offset behind it.
Reply<std::string> print_pieces(Client& client, const std::string& path,
                                const LogsOptions& options) {
  const std::string rank = fmt::format("{}", options.rank);
  std::string next = "0";
  for (;;) {
    const bool of_tail = options.tail >= 0;
    const auto piece =
        client.log_piece(path, {{"rank", rank},
                                {"tail", of_tail ? fmt::format("{}", options.tail) : ""},
                                {"offset", of_tail ? "" : next}});
    if (!piece) return tl::unexpected(piece.error());
    const bool written = write_out(piece->bytes);
    if (of_tail || !written || piece->bytes.empty() || Interrupt::requested()) return piece->next;
    next = piece->next;
  }
}

// A job that has not begun has no log yet: it is waited for.
bool waits_for_it(const LogsOptions& options, const Failure& failure) {
  if (!options.follow || failure.exit_code != kConflict) return false;
  for (int i = 0; i < 5 && !Interrupt::requested(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return !Interrupt::requested();
}

int print_logs(Client& client, const LogsOptions& options) {
  const std::string path = "/jobs/" + url_encoded(options.id) + "/logs";
  Query query{{"rank", fmt::format("{}", options.rank)}, {"follow", "true"}};
  for (;;) {
    // With --tail the last lines come first; else the server begins at the beginning.
    if (!options.follow || options.tail >= 0) {
      const auto next = print_pieces(client, path, options);
      if (!next && waits_for_it(options, next.error())) continue;
      if (!next) return fail_with(next.error());
      if (!options.follow) return kOk;
      query.emplace_back("offset", *next);
    }
    const auto done = client.stream(path, query, write_out);
    if (!done && waits_for_it(options, done.error())) continue;
    return done ? static_cast<int>(kOk) : fail_with(done.error());
  }
}

int run_logs(const LogsOptions& options) {
  if (options.rank < 0) return fail_with({kUsage, "--rank: it is not 0 or more"});
  const Interrupt interrupt;
  return with_client(options.server, [&](Client& client) {
    const int code = print_logs(client, options);
    return Interrupt::requested() ? Interrupt::exit_code() : code;
  });
}

}  // namespace

Command logs_command() {
  const auto options = std::make_shared<LogsOptions>();
  std::vector<Flag> flags{{"id", "ID", "the job", &options->id, true},
                          {"-f,--follow", "", "go on until the job has ended", &options->follow},
                          {"--tail", "N", "the last N lines; -1: all", &options->tail},
                          {"--rank", "N", "of this task", &options->rank}};
  return {.name = "logs",
          .summary = "Print what a job printed",
          .details = "Bytes as the job wrote them, standard output and error together.",
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = {{"logs -f \"$(headroom submit -q production --parsable -- echo hello)\"",
                        "a job's log, to its end"}},
          .run = [options] { return run_logs(*options); }};
}

}  // namespace headroom::cli
