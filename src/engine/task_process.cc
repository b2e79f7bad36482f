#include "engine/task_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace headroom::engine {

using base::Error;
using base::fail;
using base::Result;

namespace {

constexpr std::size_t kLongestError = 1000;

struct User {
  std::string name;
  uid_t uid = 0;
  gid_t gid = 0;
  std::string home;
  std::string shell;
};

Result<User> find_user(const std::string& name) {
  errno = 0;
  const passwd* found = name.empty() ? getpwuid(geteuid()) : getpwnam(name.c_str());
  if (found == nullptr && name.empty())
    return User{fmt::format("{}", geteuid()), geteuid(), getegid(), "/", "/bin/sh"};
  if (found == nullptr) return fail(fmt::format("there is no user '{}' on this machine", name));
  return User{found->pw_name, found->pw_uid, found->pw_gid, found->pw_dir, found->pw_shell};
}

Result<void> become(const User& user) {
  if (geteuid() != 0) {
    if (user.uid == geteuid()) return {};
    return fail(
        fmt::format("the server does not run as root, so it cannot run a job as {}", user.name));
  }
  if (user.uid == 0) return {};
  if (initgroups(user.name.c_str(), user.gid) != 0 || setgid(user.gid) != 0 ||
      setuid(user.uid) != 0)
    return tl::unexpected(system_error("become the user " + user.name));
  return {};
}

Result<void> enter(const LocalPlan& plan, const User& user) {
  if (plan.workdir.empty()) {
    if (chdir(user.home.c_str()) != 0 && chdir("/") != 0)
      return tl::unexpected(system_error("enter /"));
    return {};
  }
  if (chdir(plan.workdir.c_str()) != 0)
    return tl::unexpected(system_error(fmt::format("enter the workdir {}", plan.workdir)));
  return {};
}

Result<Fd> open_output(const std::string& path) {
  if (path.empty()) return Fd{};
  // Not blocking: a pipe without a reader must not hold up the launch.
  Fd file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666));
  if (!file.valid()) return tl::unexpected(system_error("open the output file " + path));
  struct stat about{};
  if (fstat(file.get(), &about) != 0 || (!S_ISREG(about.st_mode) && path != "/dev/null"))
    return fail(fmt::format("the output file {} is not a plain file", path));
  return file;
}

std::vector<std::string> environment(const LocalPlan& plan, const LocalTask& task,
                                     const User& user) {
  Variables all = {
      {"PATH", user.uid == 0 ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
                             : "/usr/local/bin:/usr/bin:/bin"},
      {"HOME", user.home},
      {"USER", user.name},
      {"LOGNAME", user.name},
      {"SHELL", user.shell}};
  for (const char* name : {"TZ", "LANG"}) {
    if (const char* value = std::getenv(name)) all.emplace_back(name, value);
  }
  // Ours last: what a job holds is not for the job to say.
  all.insert(all.end(), plan.env.begin(), plan.env.end());
  all.insert(all.end(), task.env.begin(), task.env.end());
  all.emplace_back("HEADROOM_ALLOCATION", plan.token);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool again = false;
    for (std::size_t j = i + 1; j < all.size() && !again; ++j) again = all[j].first == all[i].first;
    if (!again) lines.push_back(all[i].first + "=" + all[i].second);
  }
  return lines;
}

void send(int channel, std::string_view text, int fd) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof fd)] = {};
  if (fd >= 0) {
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  sendmsg(channel, &message, MSG_NOSIGNAL);
}

// As a login has them: what the server changed for itself is undone.
void reset_process(pid_t supervisor) {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (signal != SIGKILL && signal != SIGSTOP) std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // A task does not outlive its supervisor. (After setuid, which takes this back.)
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(1);
}

void set_limits() {
  rlimit core{};
  getrlimit(RLIMIT_CORE, &core);
  core.rlim_cur = 0;
  setrlimit(RLIMIT_CORE, &core);
  if (geteuid() != 0) return;
  const rlimit all{RLIM_INFINITY, RLIM_INFINITY};  // pinned memory of network cards
  setrlimit(RLIMIT_MEMLOCK, &all);
}

Result<void> connect_streams(int log) {
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
    return tl::unexpected(system_error("connect the output"));
  return {};
}

// A script that names its interpreter ("#!") is run by it; all else by /bin/sh -c.
Result<void> execute(const LocalPlan& plan, const std::vector<std::string>& environment_lines) {
  std::vector<char*> variables;
  for (const std::string& line : environment_lines)
    variables.push_back(const_cast<char*>(line.c_str()));
  variables.push_back(nullptr);
  if (plan.run.starts_with("#!")) {
    const int script = memfd_create("job", 0);  // stays open: the interpreter reads it
    if (script < 0) return tl::unexpected(system_error("write the script"));
    if (auto written = write_all(script, plan.run); !written) return written;
    const std::string path = fmt::format("/proc/self/fd/{}", script);
    char* const arguments[] = {const_cast<char*>(path.c_str()), nullptr};
    execve(path.c_str(), arguments, variables.data());
    return tl::unexpected(system_error("run the interpreter that the script names"));
  }
  char* const arguments[] = {const_cast<char*>("sh"), const_cast<char*>("-c"),
                             const_cast<char*>(plan.run.c_str()), nullptr};
  execve("/bin/sh", arguments, variables.data());
  return tl::unexpected(system_error("run /bin/sh"));
}

// In the child; returns only with an error.
Result<void> become_task(const LocalPlan& plan, const LocalTask& task, pid_t supervisor,
                         int channel, int log) {
  setsid();
  if (auto joined = AllocationGroups(plan).join(task); !joined) return joined;
  if (auto connected = connect_streams(log); !connected) return connected;
  set_limits();
  const auto user = find_user(plan.user);
  if (!user) return tl::unexpected(user.error());
  if (auto became = become(*user); !became) return became;
  reset_process(supervisor);
  umask(plan.umask);
  if (auto entered = enter(plan, *user); !entered) return entered;
  auto output = open_output(task.output);
  if (!output) return tl::unexpected(output.error());
  const std::vector<std::string> lines = environment(plan, task, *user);
  send(channel, "ready", output->get());
  char word = 0;
  if (recv(channel, &word, 1, 0) != 1) _exit(1);  // not let go: the launch failed elsewhere
  return execute(plan, lines);
}

}  // namespace

Result<TaskProcess> fork_task(const LocalPlan& plan, const LocalTask& task) {
  TaskProcess process;
  int channel[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0)
    return tl::unexpected(system_error("make a channel"));
  process.channel = Fd(channel[0]);
  Fd other_end(channel[1]);
  int log[2];
  if (pipe2(log, O_CLOEXEC) != 0) return tl::unexpected(system_error("make a pipe"));
  process.log = Fd(log[0]);
  Fd writes(log[1]);
  const pid_t supervisor = getpid();
  process.pid = AllocationGroups(plan).fork_into(task);
  if (process.pid < 0) return tl::unexpected(system_error("start a process"));
  if (process.pid == 0) {
    const auto done = become_task(plan, task, supervisor, channel[1], log[1]);
    send(channel[1], done.error().message.substr(0, kLongestError), -1);
    _exit(127);
  }
  return process;
}

void hear(TaskProcess& task) {
  char text[kLongestError];
  iovec part{text, sizeof text};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  const ssize_t got = recvmsg(task.channel.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {  // closed: by exec, or by its end
    task.channel.reset();
    if (task.let_go) {
      task.state = TaskProcess::State::kRunning;
    } else if (task.error.empty()) {
      task.error = "the process ended before it could run";
    }
    return;
  }
  const std::string_view word(text, static_cast<std::size_t>(got));
  if (word != "ready") {
    task.error = word;
    return;
  }
  task.state = TaskProcess::State::kReady;
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message)) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    task.output = Fd(fd);
  }
}

void let_go(TaskProcess& task) {
  const char word = 'g';
  task.let_go = true;
  ::send(task.channel.get(), &word, 1, MSG_NOSIGNAL);
}

}  // namespace headroom::engine
