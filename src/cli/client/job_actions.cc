// headroom cancel, hold, release, requeue, priority: one request for each job.
#include <fmt/format.h>

#include <memory>

#include "cli/client/client_command.h"
#include "cli/client/job_table.h"
#include "cli/client_verbs.h"
#include "formats/quantity.h"

namespace headroom::cli {

namespace {

struct ActionOptions {
  ServerFlags server;
  std::vector<std::string> ids;
  std::string number;  // of priority
  bool dry_run = false;
};

struct Action {
  std::string verb;
  std::string done;  // "cancelled"
};

// What would be done to it, and whether it could be.
Reply<Json> try_out(Client& client, const std::string& path, const std::string& id) {
  Reply<Json> job = client.get(path);
  if (!job || !is_final_state(text_of(*job, "state"))) return job;
  return tl::unexpected(Failure{kConflict, "job " + id + ": it has ended"});
}

Reply<Json> act(Client& client, const Action& action, const std::string& id,
                const ActionOptions& options) {
  const std::string path = "/jobs/" + url_encoded(id);
  if (options.dry_run) return try_out(client, path, id);
  if (action.verb != "priority") return client.send("POST", path + "/" + action.verb);
  return client.send("PATCH", path, {}, R"({"priority": )" + options.number + "}");
}

int run_action(const Action& action, const ActionOptions& options) {
  if (action.verb == "priority") {
    const auto number = formats::parse_integer(options.number, -1'000'000, 1'000'000);
    if (!number) return fail_with({kUsage, "priority: " + number.error().message});
  }
  return with_client(options.server, [&](Client& client) {
    int failed = kOk;
    std::size_t failures = 0;
    for (const std::string& id : options.ids) {
      const Reply<Json> answer = act(client, action, id, options);
      if (answer) {
        const std::string what = options.dry_run ? "would be " + action.done : action.done;
        fmt::print(stderr, "job {}: {}\n", id, what);
        continue;
      }
      failed = fail_with(answer.error());
      ++failures;
    }
    return failures == 0 || failures == options.ids.size() ? failed
                                                           : static_cast<int>(kPartlyFailed);
  });
}

Command action_command(Action action, std::string summary, std::string details,
                       std::vector<Example> examples) {
  const auto options = std::make_shared<ActionOptions>();
  std::vector<Flag> flags;
  if (action.verb == "priority") {
    flags.push_back(
        {"number", "N", "the larger, the earlier in its queue", &options->number, true});
  }
  flags.push_back({"ids", "ID...", "jobs, as 1041 or 1041.7 (of an array)", &options->ids, true});
  flags.push_back({"--dry-run", "", "look only; nothing changes", &options->dry_run});
  return {.name = action.verb,
          .summary = std::move(summary),
          .details = std::move(details),
          .flags = joined(std::move(flags), server_flags(options->server)),
          .examples = std::move(examples),
          .run = [action, options] { return run_action(action, *options); }};
}

// Something to act on, for the examples.
constexpr const char* kHeld = "submit -q production --parsable -H -- true";

Example example(const std::string& command, const std::string& says) {
  return {fmt::format("{} \"$(headroom {})\"", command, kHeld), says};
}

}  // namespace

Command cancel_command() {
  return action_command({"cancel", "cancelled"}, "Cancel jobs",
                        "A job that runs gets its checkpoint signal and TERM, and KILL after the "
                        "grace. Exit code 9 when some could not be cancelled.",
                        {example("cancel", "a job")});
}

Command hold_command() {
  return action_command(
      {"hold", "held"}, "Keep waiting jobs from starting",
      "Until they are released. What runs goes on.",
      {{"hold \"$(headroom submit -q production --parsable --begin 2099-01-01 -- true)\"",
        "a job that waits"}});
}

Command release_command() {
  return action_command({"release", "released"}, "Let held jobs start", "",
                        {example("release", "a job that was submitted with --hold")});
}

Command requeue_command() {
  return action_command(
      {"requeue", "back in the queue"}, "Stop running jobs and let them wait again",
      "They keep their age, and start again as a new attempt.",
      {{"requeue \"$(headroom submit -q production --parsable -- sleep 60)\" || true",
        "a job that runs"}});
}

Command priority_command() {
  return action_command({"priority", "changed"}, "Change the priority of jobs",
                        "Priority orders the jobs of one queue; across queues, shares decide.",
                        {example("priority 10", "a job")});
}

}  // namespace headroom::cli
