// HubProcess: the engine's end of the hub (supervisor.h), the small process that starts
// supervisors.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/posix.h"

namespace headroom::engine {

class HubProcess {
 public:
  HubProcess() = default;
  ~HubProcess() { stop(); }
  HubProcess(const HubProcess&) = delete;
  HubProcess& operator=(const HubProcess&) = delete;

  base::Result<void> start(std::vector<std::string> command);
  // Its supervisors go on.
  void stop();
  bool runs() const { return pid_ > 0; }
  // Readable when it has ended.
  int process() const { return process_.get(); }
  // Asks for a supervisor. Whether one came is seen in the allocation's folder.
  void ask(const std::string& name);

 private:
  pid_t pid_ = -1;
  Fd process_;
  Fd orders_;
};

// A descriptor that stands for a process and is readable when it has ended.
Fd open_process(pid_t pid);
void signal_process(const Fd& process, int signal);

}  // namespace headroom::engine
