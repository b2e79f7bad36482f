#include "cli/client/follow.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <thread>

#include "cli/client/job_table.h"
#include "cli/client/output.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "cli/text.h"

namespace headroom::cli {

namespace {

using std::chrono::milliseconds;

// One line on a terminal that says what the job waits for, rewritten when that changes.
class StatusLine {
 public:
  explicit StatusLine(bool quiet) : terminal_(inspect_terminal(2)) {
    active_ = !quiet && terminal_.is_terminal;
  }
  ~StatusLine() { erase(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const std::string& text) {
    if (!active_ || text == shown_) return;
    fmt::print(stderr, "\r\x1b[2K{}", shortened(printable(text), terminal_.width - 1));
    std::fflush(stderr);
    shown_ = text;
  }
  void erase() {
    if (!shown_.empty()) fmt::print(stderr, "\r\x1b[2K");
    shown_.clear();
  }

 private:
  Terminal terminal_;
  bool active_ = false;
  std::string shown_;
};

bool has_log(std::string_view state) {
  return state == "running" || state == "stopping" || is_final_state(state);
}

// The reason of a rejection, or what the engine said of the last attempt.
std::string why_it_ended(const Json& job) {
  if (const Json* const reason = field_at(job, "reason.text")) return cell_text(reason);
  const Json* const attempts = field_at(job, "attempts");
  return attempts == nullptr || attempts->empty() ? "" : text_of(attempts->back(), "detail");
}

class Follower {
 public:
  Follower(Client& client, const std::string& id, const FollowOptions& options)
      : client_(client), path_("/jobs/" + url_encoded(id)), id_(id), options_(options) {}

  int run() {
    interrupt_.emplace();
    milliseconds pause{50};
    for (;;) {
      if (Interrupt::requested() && !on_interrupt()) return Interrupt::exit_code();
      const Reply<Json> job = client_.get(path_);
      if (!job) return fail_with(job.error());
      const std::string state = text_of(*job, "state");
      if (has_log(state)) {
        status_.erase();
        if (const auto failed = follow_log(*job)) return fail_with(*failed);
        if (is_final_state(state)) return ended(*job);
      } else {
        status_.show(fmt::format("job {} is {}: {}", id_, state, place_or_reason(*job)));
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 3 / 2, milliseconds{1000});
    }
  }

 private:
  // Reads on where it stopped; a new attempt has a new log.
  std::optional<Failure> follow_log(const Json& job) {
    const std::string attempt = cell_text(field_at(job, "attempt"));
    if (attempt != attempt_) offset_ = 0;
    attempt_ = attempt;
    const Query query{{"rank", fmt::format("{}", options_.rank)},
                      {"offset", fmt::format("{}", offset_)},
                      {"follow", "true"}};
    const auto done = client_.stream(path_ + "/logs", query, [this](std::string_view bytes) {
      offset_ += bytes.size();
      return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
             std::fflush(stdout) == 0;
    });
    // A job that ended before it began has no log.
    const int code = done ? static_cast<int>(kOk) : done.error().exit_code;
    if (code == kOk || code == kNotFound || code == kConflict) return std::nullopt;
    return done.error();
  }

  // Whether to go on.
  bool on_interrupt() {
    status_.erase();
    if (options_.keeps_running) {
      fmt::print(stderr, "\nheadroom: job {} goes on; headroom logs -f {}\n", id_, id_);
      return false;
    }
    if (cancelled_) return false;
    cancelled_ = true;
    fmt::print(stderr, "\nheadroom: cancelling job {}; Ctrl-C again to leave it\n", id_);
    interrupt_.reset();
    interrupt_.emplace();
    const Reply<Json> answer = client_.send("POST", path_ + "/cancel");
    if (!answer) {
      fail_with(answer.error());
      return false;
    }
    return true;
  }

  int ended(const Json& job) const {
    const std::string state = text_of(job, "state");
    const int code = exit_code_of_job(job);
    if (cancelled_) return Interrupt::exit_code();
    if (state != "completed" && !options_.quiet) {
      const std::string why = why_it_ended(job);
      fmt::print(stderr, "headroom: job {} {}{}\n", id_, state,
                 why.empty() ? "" : ": " + printable(why));
    }
    return code;
  }

  Client& client_;
  std::string path_;
  std::string id_;
  FollowOptions options_;
  StatusLine status_{options_.quiet};
  std::optional<Interrupt> interrupt_;
  std::string attempt_;
  std::size_t offset_ = 0;
  bool cancelled_ = false;
};

}  // namespace

int exit_code_of_job(const Json& job) {
  const auto number = [&](const char* key) {
    const Json* const value = field_at(job, key);
    return value != nullptr && value->is_number_integer() ? value->get<int>() : 0;
  };
  const std::string state = text_of(job, "state");
  if (state == "completed") return kOk;
  if (number("signal") > 0) return 128 + number("signal");
  if (number("exit_code") > 0) return number("exit_code");
  return state == "rejected" ? kRefused : kFailed;
}

int follow_job(Client& client, const std::string& id, const FollowOptions& options) {
  return Follower(client, id, options).run();
}

}  // namespace headroom::cli
