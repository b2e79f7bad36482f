#include "engine/hub_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace headroom::engine {

using base::Result;

Fd open_process(pid_t pid) { return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))); }

void signal_process(const Fd& process, int signal) {
  if (process.valid()) syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0);
}

Result<void> HubProcess::start(std::vector<std::string> command) {
  stop();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(system_error("make a pipe"));
  Fd reads(ends[0]);
  orders_ = Fd(ends[1]);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, reads.get(), 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error =
      posix_spawn(&pid_, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    pid_ = -1;
    orders_.reset();
    return base::fail(fmt::format("cannot start {}: {}", command[0], std::strerror(error)));
  }
  process_ = open_process(pid_);
  return {};
}

void HubProcess::stop() {
  if (!runs()) return;
  orders_.reset();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  process_.reset();
}

void HubProcess::ask(const std::string& name) {
  // Whole or not at all (shorter than PIPE_BUF). If the hub is gone, it is asked again.
  const std::string line = name + "\n";
  sigset_t broken_pipe, before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  if (orders_.valid() && write(orders_.get(), line.data(), line.size()) < 0 && errno == EPIPE) {
    const timespec now{};
    sigtimedwait(&broken_pipe, nullptr, &now);  // takes the signal that this write raised
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace headroom::engine
