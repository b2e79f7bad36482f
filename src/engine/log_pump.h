// LogPump: a thread that moves what the tasks write from their pipes into their logs, and into the
// users' own output files. A thread, because a write to a user's file may hang (a file server that
// is gone), and time limits must hold all the same. What cannot be written is dropped: a full disk
// stops no job.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "engine/local_log.h"
#include "engine/posix.h"

namespace headroom::engine {

class LogPump {
 public:
  LogPump();
  // `output` may be invalid. Before start().
  void add(Fd pipe, Fd output, LogWriter log);
  void start();
  // No process writes any more: takes what is left, and waits for that at most so long.
  void finish(std::int64_t most_ms);

 private:
  struct Source {
    Fd pipe;
    Fd output;
    LogWriter log;
  };
  void run();
  bool drain(Source& source);  // false: at its end

  std::vector<Source> sources_;
  Fd wake_;
  Fd done_;
  std::atomic<bool> finishing_{false};
  std::thread thread_;
};

}  // namespace headroom::engine
