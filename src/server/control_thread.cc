#include "server/control_thread.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headroom::server {

namespace {

// No wait is longer: what an engine forgot to tell is found then.
constexpr base::Duration kLongestWait{60'000};

}  // namespace

ControlThread::ControlThread(Controller& controller, engine::Engine& engine,
                             std::function<void(const std::string&)> failed)
    : controller_(controller), failed_(std::move(failed)) {
  engine.on_report([this] {
    const std::lock_guard lock(mutex_);
    reported_ = true;
    wake_.notify_one();
  });
  thread_ = std::thread([this] { run(); });
}

ControlThread::~ControlThread() { stop(); }

void ControlThread::post(Request request) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  waiting_.push_back(std::move(request));
  wake_.notify_one();
}

void ControlThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void ControlThread::run() {
  for (;;) {
    std::vector<Request> requests;
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      requests.swap(waiting_);
      reported_ = false;
      last = stopping_;
    }
    auto next = controller_.step(std::move(requests));
    if (next && last) {
      const base::Result<void> saved = controller_.shut_down();
      if (!saved) failed_(saved.error().message);
      return;
    }
    if (!next) return failed_(next.error().message);
    wait(*next);
  }
}

void ControlThread::wait(base::Time until) {
  const base::Time now = controller_.time();
  base::Duration longest = kLongestWait;
  if (until < now + longest) longest = std::max(base::Duration{0}, base::between(now, until));
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, std::chrono::milliseconds(longest.value()),
                 [this] { return !waiting_.empty() || reported_ || stopping_; });
}

}  // namespace headroom::server
