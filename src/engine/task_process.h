// A task's process, from fork to exec. Everything that can fail or hang (the user, the folder, the
// output file) is done by the child before exec, and told through a channel; exec waits for `go`,
// so that nothing of a gang runs unless all of it can.
//
//   child: set up ── "ready" ──▶ supervisor ── go ──▶ child: exec   (the channel closes by itself)
//                 ── "cannot …" ─▶
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "engine/local_cgroup.h"
#include "engine/local_plan.h"
#include "engine/posix.h"

namespace headroom::engine {

struct TaskProcess {
  enum class State { kSettingUp, kReady, kRunning, kEnded };
  State state = State::kSettingUp;
  bool let_go = false;
  pid_t pid = -1;
  Fd channel;         // not valid: exec was done
  Fd log;             // what it writes
  Fd output;          // the user's file, opened as the user; not valid: none
  std::string error;  // why it cannot run
  int status = 0;     // of waitpid
};

base::Result<TaskProcess> fork_task(const LocalPlan& plan, const LocalTask& task);
// The channel is readable.
void hear(TaskProcess& task);
void let_go(TaskProcess& task);

}  // namespace headroom::engine
