// ControlThread: runs the controller. Requests come from any thread and share steps: all that wait
// when a step begins are in its one commit.
//
// When a step fails the process must end: `failed` is called with why, once, and nothing is
// answered any more.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/controller.h"

namespace headroom::server {

class ControlThread {
 public:
  ControlThread(Controller& controller, engine::Engine& engine,
                std::function<void(const std::string&)> failed);
  ~ControlThread();  // stop()
  ControlThread(const ControlThread&) = delete;
  ControlThread& operator=(const ControlThread&) = delete;

  // After stop() it is dropped.
  void post(Request request);

  // Ends the step at hand, makes a snapshot and joins. Jobs go on.
  void stop();

 private:
  void run();
  void wait(base::Time until);

  Controller& controller_;
  std::function<void(const std::string&)> failed_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Request> waiting_;
  bool reported_ = false;  // the engine has something to tell
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace headroom::server
