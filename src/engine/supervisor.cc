#include "engine/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <vector>

#include "engine/local_cgroup.h"
#include "engine/local_folder.h"
#include "engine/local_plan.h"
#include "engine/log_pump.h"
#include "engine/processes.h"
#include "engine/report_file.h"
#include "engine/task_process.h"

namespace headroom::engine {

using base::Result;

namespace {

constexpr int kKillEveryMs = 20;               // until no process is left
constexpr std::int64_t kLogsMayTakeMs = 5000;  // to be written when all has ended

// When what is sent to the tasks; nothing: not planned.
struct Deadlines {
  std::optional<std::int64_t> checkpoint;
  std::optional<std::int64_t> term;
  std::optional<std::int64_t> kill;
};

void sooner(std::optional<std::int64_t>& deadline, std::int64_t when) {
  deadline = deadline ? std::min(*deadline, when) : when;
}

class Supervisor {
 public:
  Supervisor(LocalPlan plan, std::string folder, ReportFile& reports, const Step& step)
      : plan_(std::move(plan)),
        folder_(std::move(folder)),
        reports_(&reports),
        step_(&step),
        groups_(plan_) {
    end_.kind = Report::Kind::kEnded;
    end_.id = plan_.id;
    end_.epoch = plan_.epoch;
    epoch_ = plan_.epoch;
  }

  void run();

 private:
  enum class Phase { kSettingUp, kLettingGo, kRunning, kClearing };

  void at(const char* name) const {
    if (*step_) (*step_)(name);
  }
  Result<void> set_up();
  Result<void> fork_tasks();
  void wait_for_something();
  void take_signals();
  void take_order();
  void take_ended();
  void hear_tasks();
  void advance();
  void launch_failed(const std::string& why);
  void task_ended(std::size_t index);
  void keep_deadlines(std::int64_t now);
  void clear();
  void send_all(int signal, bool only_who_handles);
  bool all(TaskProcess::State state) const;
  void report(Report::Kind kind, const LocalTask* task);

  LocalPlan plan_;
  std::string folder_;
  ReportFile* reports_;
  const Step* step_;
  AllocationGroups groups_;
  LogPump pump_;
  Fd signals_;
  Phase phase_ = Phase::kSettingUp;
  std::vector<TaskProcess> tasks_;
  Deadlines deadlines_;
  std::int64_t launch_until_ = 0;
  std::uint64_t epoch_ = 0;    // the highest that gave an order
  bool termed_ = false;        // TERM was sent
  bool limit_is_next_ = true;  // the planned TERM is that of the time limit
  bool order_waits_ = false;   // until the tasks run
  bool no_process_left_ = false;
  std::optional<std::size_t> failed_;  // the first task that failed
  Report end_;
};

void Supervisor::report(Report::Kind kind, const LocalTask* task) {
  Report report;
  report.kind = kind;
  report.id = plan_.id;
  report.epoch = plan_.epoch;
  if (task != nullptr) {
    report.group = task->group;
    report.task = task->task;
  }
  at("report");
  reports_->append({.report = report});
}

bool Supervisor::all(TaskProcess::State state) const {
  return std::all_of(tasks_.begin(), tasks_.end(),
                     [&](const TaskProcess& task) { return task.state == state; });
}

Result<void> Supervisor::fork_tasks() {
  if (auto made = groups_.make(); !made) return made;
  if (auto made = make_folder(plan_.logs); !made) return made;
  for (const LocalTask& task : plan_.tasks) {
    at("fork");
    auto process = fork_task(plan_, task);
    if (!process) return tl::unexpected(process.error());
    tasks_.push_back(std::move(*process));
  }
  return {};
}

void Supervisor::launch_failed(const std::string& why) {
  end_.kind = Report::Kind::kLaunchFailed;
  end_.detail = why;
  deadlines_ = {};
  sooner(deadlines_.kill, monotonic_ms());
  phase_ = Phase::kClearing;
}

void Supervisor::take_order() {
  // Some tasks may run already, and have a right to the signals.
  order_waits_ = phase_ == Phase::kLettingGo;
  if (order_waits_) return;
  const auto text = read_file(folder_ + "/order");
  if (!text) return;
  const auto order = parse_order(*text);
  // An order of a server that was overtaken counts for nothing.
  if (!order || order->epoch < epoch_) return;
  epoch_ = order->epoch;
  end_.stopped = true;
  limit_is_next_ = false;
  const std::int64_t now = monotonic_ms();
  std::int64_t term = now;
  if (phase_ == Phase::kRunning && order->checkpoint && plan_.checkpoint_signal != 0) {
    sooner(deadlines_.checkpoint, now);
    term += plan_.checkpoint_ms;
  }
  if (!termed_) sooner(deadlines_.term, term);
  const std::int64_t from = deadlines_.term.value_or(now);
  sooner(deadlines_.kill, from + order->grace.value());
}

void Supervisor::take_signals() {
  signalfd_siginfo signal{};
  bool child = false;
  bool order = false;
  while (read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
    child |= signal.ssi_signo == SIGCHLD;
    order |= signal.ssi_signo == SIGUSR1;
  }
  if (order) take_order();
  if (child) take_ended();
}

void Supervisor::task_ended(std::size_t index) {
  const TaskProcess& task = tasks_[index];
  const bool failed = !WIFEXITED(task.status) || WEXITSTATUS(task.status) != 0;
  if (!failed) {
    if (phase_ == Phase::kRunning && !all(TaskProcess::State::kEnded) && !end_.stopped)
      report(Report::Kind::kTaskEnded, &plan_.tasks[index]);
    return;
  }
  if (failed_) return;
  failed_ = index;
  // What is left of a gang waits for the one that failed: it is stopped.
  if (!termed_) {
    limit_is_next_ = false;
    sooner(deadlines_.term, monotonic_ms());
    sooner(deadlines_.kill, monotonic_ms() + plan_.failed_grace_ms);
  }
}

void Supervisor::take_ended() {
  while (true) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == ECHILD) no_process_left_ = true;
    if (pid <= 0) return;
    const auto task = std::find_if(tasks_.begin(), tasks_.end(),
                                   [&](const TaskProcess& one) { return one.pid == pid; });
    if (task == tasks_.end()) continue;  // one that was left to us
    // "ready", an error, its end.
    for (int message = 0; message < 3 && task->channel.valid(); ++message) hear(*task);
    task->status = status;
    if (task->error.empty()) task->state = TaskProcess::State::kEnded;
    if (phase_ == Phase::kRunning)
      task_ended(static_cast<std::size_t>(std::distance(tasks_.begin(), task)));
  }
}

void Supervisor::hear_tasks() {
  for (TaskProcess& task : tasks_) {
    if (task.channel.valid()) hear(task);
  }
}

// From phase to phase, as the tasks come along.
void Supervisor::advance() {
  if (phase_ == Phase::kSettingUp || phase_ == Phase::kLettingGo) {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i].error.empty()) continue;
      return launch_failed(plan_.tasks.size() == 1
                               ? tasks_[i].error
                               : fmt::format("rank {}: {}", plan_.tasks[i].rank, tasks_[i].error));
    }
  }
  if (phase_ == Phase::kSettingUp && all(TaskProcess::State::kReady) && !end_.stopped) {
    at("go");
    for (TaskProcess& task : tasks_) let_go(task);
    phase_ = Phase::kLettingGo;
  }
  if (phase_ == Phase::kLettingGo &&
      std::none_of(tasks_.begin(), tasks_.end(), [](const TaskProcess& task) {
        return task.state == TaskProcess::State::kReady;
      })) {
    phase_ = Phase::kRunning;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      LogWriter log(plan_.logs, plan_.tasks[i].rank, plan_.log_segment, plan_.log_segments);
      (void)log.open();  // without a log the task runs all the same
      pump_.add(std::move(tasks_[i].log), std::move(tasks_[i].output), std::move(log));
    }
    pump_.start();
    const std::int64_t now = monotonic_ms();
    if (plan_.limit_ms > 0 && !end_.stopped) {
      deadlines_.term = now + plan_.limit_ms;
      deadlines_.kill = *deadlines_.term + plan_.limit_grace_ms;
      if (plan_.checkpoint_signal != 0)
        deadlines_.checkpoint =
            now + std::max<std::int64_t>(plan_.limit_ms - plan_.checkpoint_ms, 0);
    }
    report(Report::Kind::kStarted, nullptr);
    if (order_waits_) take_order();
    for (std::size_t i = 0; i < tasks_.size(); ++i) {  // those that were quick
      if (tasks_[i].state == TaskProcess::State::kEnded) task_ended(i);
    }
  }
  if (phase_ == Phase::kRunning && all(TaskProcess::State::kEnded)) {
    phase_ = Phase::kClearing;
    // What a task left behind goes with it; in a stop it has its grace.
    if (!termed_) sooner(deadlines_.kill, monotonic_ms());
  }
}

void Supervisor::send_all(int signal, bool only_who_handles) {
  for (const pid_t process : descendants()) {
    if (!only_who_handles || handles(process, signal)) kill(process, signal);
  }
}

void Supervisor::keep_deadlines(std::int64_t now) {
  if (phase_ == Phase::kSettingUp || phase_ == Phase::kLettingGo) {
    if (end_.stopped) {  // before it ran
      deadlines_ = {};
      sooner(deadlines_.kill, now);
      phase_ = Phase::kClearing;
    } else if (now >= launch_until_) {
      launch_failed(
          fmt::format("not all tasks could be set up within {} s", plan_.launch_ms / 1000));
    }
  }
  if (deadlines_.checkpoint && now >= *deadlines_.checkpoint) {
    deadlines_.checkpoint.reset();
    send_all(plan_.checkpoint_signal, true);
  }
  if (deadlines_.term && now >= *deadlines_.term) {
    deadlines_.term.reset();
    deadlines_.checkpoint.reset();
    if (phase_ == Phase::kRunning) {
      termed_ = true;
      end_.timed_out = limit_is_next_;
      send_all(SIGTERM, false);
      send_all(SIGCONT, false);  // what is suspended must hear it
    }
  }
  if (deadlines_.kill && now >= *deadlines_.kill) {
    deadlines_.kill = now + kKillEveryMs;
    deadlines_.term.reset();
    deadlines_.checkpoint.reset();
    termed_ = true;
    groups_.kill();
    send_all(SIGKILL, false);
  }
}

void Supervisor::wait_for_something() {
  std::vector<pollfd> waits = {{signals_.get(), POLLIN, 0}};
  for (const TaskProcess& task : tasks_) {
    if (task.channel.valid()) waits.push_back({task.channel.get(), POLLIN, 0});
  }
  std::optional<std::int64_t> next;
  for (const auto& deadline : {deadlines_.checkpoint, deadlines_.term, deadlines_.kill}) {
    if (deadline) sooner(next, *deadline);
  }
  if (phase_ == Phase::kSettingUp || phase_ == Phase::kLettingGo) sooner(next, launch_until_);
  int timeout = -1;
  if (next) {
    constexpr std::int64_t kLongest = 1'000'000;
    timeout = static_cast<int>(std::clamp<std::int64_t>(*next - monotonic_ms(), 0, kLongest));
  }
  poll(waits.data(), waits.size(), timeout);
}

void Supervisor::clear() {
  pump_.finish(kLogsMayTakeMs);
  if (end_.kind == Report::Kind::kEnded && failed_) {
    const int status = tasks_[*failed_].status;
    if (WIFEXITED(status)) end_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
    std::int64_t killed = 0;
    for (const LocalTask& task : plan_.tasks) killed += groups_.out_of_memory(task);
    end_.out_of_memory = killed > 0;
    if (plan_.tasks.size() > 1 && !end_.stopped && !end_.timed_out)
      end_.detail = fmt::format("rank {} failed", plan_.tasks[*failed_].rank);
  }
  groups_.remove();
  at("end");
  reports_->append({.report = end_});
  at("ended");
}

void Supervisor::run() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGUSR1);
  signals_ = Fd(signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
  launch_until_ = monotonic_ms() + plan_.launch_ms;
  take_order();
  if (end_.stopped) {
    phase_ = Phase::kClearing;
    no_process_left_ = true;
  } else if (auto forked = fork_tasks(); !forked) {
    launch_failed(forked.error().message);
  }
  take_ended();
  while (phase_ != Phase::kClearing || !no_process_left_) {
    wait_for_something();
    // First how far the tasks are: what an order means depends on it.
    hear_tasks();
    advance();
    take_signals();
    advance();
    keep_deadlines(monotonic_ms());
    if (phase_ == Phase::kClearing) take_ended();
  }
  clear();
}

// Another supervisor of this allocation has begun it and is gone: what became of the job cannot be
// known. Its processes died with it; those that had left the tasks are searched for.
void clear_after_another(const LocalPlan& plan, ReportFile& reports, const std::string& why) {
  const AllocationGroups groups(plan);
  while (true) {
    groups.kill();
    std::vector<pid_t> left = groups.processes();
    for (const pid_t process : processes_with("HEADROOM_ALLOCATION=" + plan.token))
      left.push_back(process);
    if (left.empty()) break;
    for (const pid_t process : left) kill(process, SIGKILL);
    poll(nullptr, 0, kKillEveryMs);
  }
  groups.remove();
  Report lost;
  lost.kind = Report::Kind::kLost;
  lost.id = plan.id;
  lost.epoch = plan.epoch;
  lost.detail = why;
  reports.append({.report = lost});
}

}  // namespace

void run_supervisor(const std::string& root, const std::string& name, const Step& step) {
  const auto at = [&](const char* which) {
    if (step) step(which);
  };
  const LocalFolder folder(root);
  const std::string own = folder.live(name);
  const auto id = parse_allocation_name(name);
  if (!id || !exists(own + "/plan")) return;  // forgotten in the meantime
  at("lock");
  const auto lock = try_lock(own + "/lock");
  if (!lock || !lock->valid()) return;
  const auto text = read_file(own + "/plan");
  if (!text) return;
  auto plan = parse_plan(*text);
  auto reports = ReportFile::open(own + "/reports", folder.ring(name), *id);
  if (!reports || reports->ended()) return;
  if (!plan) {
    // Written whole before it came here, so the disk has changed it. Nothing can be started.
    Report failed;
    failed.kind = reports->begun() ? Report::Kind::kLost : Report::Kind::kLaunchFailed;
    failed.id = *id;
    failed.detail = plan.error().message;
    reports->append({.report = failed});
    return;
  }
  if (reports->begun()) return clear_after_another(*plan, *reports, "its supervisor was gone");
  if (plan->boot != boot_id())
    return clear_after_another(*plan, *reports, "the machine was started anew");
  at("begin");
  if (!reports->try_append({.begun = true, .pid = getpid()})) return;
  at("begun");
  Supervisor(std::move(*plan), own, *reports, step).run();
}

int run_hub(const std::string& folder, const Step& step) {
  setsid();
  if (chdir("/") != 0) return EXIT_FAILURE;
  const int null = open("/dev/null", O_RDWR);
  for (int stream : {1, 2}) dup2(null, stream);
  // Supervisors wait for these with signalfd; what is pending at a fork is not inherited.
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGUSR1);
  sigprocmask(SIG_SETMASK, &wanted, nullptr);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) std::signal(signal, SIG_IGN);
  std::string text;
  char piece[4096];
  while (true) {
    const ssize_t got = read(0, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return EXIT_SUCCESS;  // the server has ended
    text.append(piece, static_cast<std::size_t>(got));
    for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      if (step) step("hub");
      if (fork() != 0) continue;  // a fork that fails is asked for again by the engine
      setsid();
      dup2(null, 0);
      if (null > 2) close(null);
      run_supervisor(folder, text.substr(0, end), step);
      _exit(EXIT_SUCCESS);
    }
  }
}

}  // namespace headroom::engine
