// headroom wait: until jobs have ended.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>

#include "cli/client/client_command.h"
#include "cli/client/follow.h"
#include "cli/client/job_table.h"
#include "cli/client_verbs.h"
#include "cli/interrupt.h"
#include "formats/quantity.h"

namespace headroom::cli {

namespace {

struct WaitOptions {
  ServerFlags server;
  std::vector<std::string> ids;
  std::string most;
};

int run_wait(const WaitOptions& options) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point until = Clock::time_point::max();
  if (!options.most.empty()) {
    const auto most = formats::parse_duration(options.most);
    if (!most) return fail_with({kUsage, "--timeout: " + most.error().message});
    until = Clock::now() + std::chrono::milliseconds(most->value());
  }
  const Interrupt interrupt;
  return with_client(options.server, [&](Client& client) {
    int code = kOk;
    for (const std::string& id : options.ids) {
      std::chrono::milliseconds pause{20};
      for (;;) {
        const Reply<Json> job = client.get("/jobs/" + url_encoded(id));
        if (!job) return fail_with(job.error());
        const std::string state = text_of(*job, "state");
        if (is_final_state(state)) {
          fmt::print(stderr, "job {}: {}\n", id, state);
          if (exit_code_of_job(*job) != kOk) code = kFailed;
          break;
        }
        if (Interrupt::requested()) return Interrupt::exit_code();
        if (Clock::now() >= until) {
          return fail_with({kTimedOut, fmt::format("job {} is still {}", id, state)});
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 3 / 2, std::chrono::milliseconds{1000});
      }
    }
    return code;
  });
}

}  // namespace

Command wait_command() {
  const auto options = std::make_shared<WaitOptions>();
  std::vector<Flag> flags{{"ids", "ID...", "jobs", &options->ids, true},
                          {"--timeout", "TIME", "give up after it: 30min", &options->most}};
  return {
      .name = "wait",
      .summary = "Wait until jobs have ended",
      .details = "Exit code 0 when all completed, 1 when one did not, 7 when the time is over.",
      .flags = joined(std::move(flags), server_flags(options->server)),
      .examples = {{"wait --timeout 60s \"$(headroom submit -q production --parsable -- true)\"",
                    "a job"}},
      .run = [options] { return run_wait(*options); }};
}

}  // namespace headroom::cli
