#include "engine/log_pump.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace headroom::engine {

namespace {

void ring(const Fd& event) { eventfd_write(event.get(), 1); }

}  // namespace

LogPump::LogPump() : wake_(eventfd(0, EFD_CLOEXEC)), done_(eventfd(0, EFD_CLOEXEC)) {}

void LogPump::add(Fd pipe, Fd output, LogWriter log) {
  fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
  if (output.valid()) fcntl(output.get(), F_SETFL, O_APPEND);  // blocking from here on
  sources_.push_back({std::move(pipe), std::move(output), std::move(log)});
}

void LogPump::start() {
  thread_ = std::thread([this] { run(); });
}

bool LogPump::drain(Source& source) {
  char piece[65536];
  while (true) {
    const ssize_t got = read(source.pipe.get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return true;
    if (got <= 0) return false;
    const std::string_view bytes(piece, static_cast<std::size_t>(got));
    (void)source.log.append(bytes);
    if (source.output.valid()) (void)write_all(source.output.get(), bytes);
  }
}

void LogPump::run() {
  while (true) {
    std::vector<pollfd> waits = {{wake_.get(), POLLIN, 0}};
    for (const Source& source : sources_) {
      if (source.pipe.valid()) waits.push_back({source.pipe.get(), POLLIN, 0});
    }
    if (waits.size() == 1) break;
    if (!finishing_) poll(waits.data(), waits.size(), -1);
    const bool last_round = finishing_;
    for (Source& source : sources_) {
      if (source.pipe.valid() && !drain(source)) source.pipe.reset();
    }
    if (last_round) break;
  }
  ring(done_);
}

void LogPump::finish(std::int64_t most_ms) {
  if (!thread_.joinable()) return;
  finishing_ = true;
  ring(wake_);
  pollfd wait{done_.get(), POLLIN, 0};
  if (poll(&wait, 1, static_cast<int>(most_ms)) == 1) {
    thread_.join();
  } else {
    thread_.detach();  // it hangs in a write; the process ends soon
  }
}

}  // namespace headroom::engine
