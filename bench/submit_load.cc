// submit_load SOCKET SECONDS RATE CONNECTIONS BODY: submits jobs to a server as fast as it answers
// (RATE 0), or so many a second, and prints how many were acknowledged and how long that took.
//
//   headroom serve --data out/d --cluster examples/cluster.yaml --socket out/s --no-tcp &
//   submit_load out/s 10 0 64 '{"job":"x","queue":"research","gpus":8,"hold":true,"run":"true"}'
//
// At a fixed rate a request's time counts from when it was due, so that a server that falls behind
// cannot hide it. One thread; each connection has one request in flight.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Connection {
  int fd = -1;
  bool busy = false;
  Clock::time_point due;
  std::string read;
};

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "submit_load: {}\n", why);
  std::exit(2);
}

int connect_to(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(path) >= sizeof address.sun_path) give_up("the path of the socket is too long");
  std::strcpy(address.sun_path, path);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (fd < 0 || connect(fd, generic, sizeof address) != 0) give_up("cannot connect");
  return fd;
}

// Whether a whole answer has been read; its status goes into `status`.
bool is_whole(const std::string& text, int& status) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == std::string::npos) return false;
  const std::size_t length = text.find("Content-Length: ");
  if (length == std::string::npos || length > head) give_up("an answer without a length");
  const auto body = static_cast<std::size_t>(std::atoll(text.c_str() + length + 16));
  status = std::atoi(text.c_str() + 9);
  return text.size() >= head + 4 + body;
}

class Load {
 public:
  Load(const char* path, double seconds, double rate, int connections, const std::string& body)
      : rate_(rate), begin_(Clock::now()), end_(begin_ + to_clock(seconds)) {
    request_ = fmt::format(
        "POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n{}",
        body.size(), body);
    for (int i = 0; i < connections; ++i) connections_.emplace_back().fd = connect_to(path);
  }

  void run() {
    while (true) {
      const auto now = Clock::now();
      send_what_is_due(now);
      const bool over = now >= end_;
      const bool busy = std::any_of(connections_.begin(), connections_.end(),
                                    [](const Connection& one) { return one.busy; });
      if (over && !busy) break;
      wait();
    }
    report();
  }

 private:
  static Clock::duration to_clock(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  void send_what_is_due(Clock::time_point now) {
    for (Connection& one : connections_) {
      if (one.busy) continue;
      const auto due = rate_ > 0 ? begin_ + to_clock(static_cast<double>(sent_) / rate_) : now;
      if (due > now || due >= end_) return;
      if (write(one.fd, request_.data(), request_.size()) != std::ssize(request_)) {
        give_up("cannot send");
      }
      one.busy = true;
      one.due = due;
      ++sent_;
    }
  }

  void wait() {
    std::vector<pollfd> polled;
    for (const Connection& one : connections_) polled.push_back({one.fd, POLLIN, 0});
    poll(polled.data(), polled.size(), 1);
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].revents != 0) receive(connections_[i]);
    }
  }

  void receive(Connection& one) {
    char bytes[4096];
    const ssize_t count = ::read(one.fd, bytes, sizeof bytes);
    if (count <= 0) give_up("the server has closed a connection");
    one.read.append(bytes, static_cast<std::size_t>(count));
    int status = 0;
    if (!is_whole(one.read, status)) return;
    if (status != 201) give_up(one.read);
    one.read.clear();
    one.busy = false;
    const std::chrono::duration<double, std::milli> took = Clock::now() - one.due;
    took_ms_.push_back(took.count());
  }

  void report() {
    const std::chrono::duration<double> passed = Clock::now() - begin_;
    std::sort(took_ms_.begin(), took_ms_.end());
    const auto at = [&](double part) {
      const auto last = static_cast<double>(took_ms_.size() - 1);
      return took_ms_[static_cast<std::size_t>(part * last)];
    };
    if (took_ms_.empty()) give_up("nothing was acknowledged");
    fmt::print("{} acknowledged, {:.0f}/s; ms: P50 {:.2f}, P99 {:.2f}, most {:.2f}\n",
               took_ms_.size(), static_cast<double>(took_ms_.size()) / passed.count(), at(0.5),
               at(0.99), took_ms_.back());
  }

  double rate_;
  Clock::time_point begin_, end_;
  std::string request_;
  std::vector<Connection> connections_;
  std::int64_t sent_ = 0;
  std::vector<double> took_ms_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) give_up("submit_load SOCKET SECONDS RATE CONNECTIONS BODY");
  Load(argv[1], std::atof(argv[2]), std::atof(argv[3]), std::atoi(argv[4]), argv[5]).run();
}
