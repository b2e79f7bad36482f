// headroom-sse-load [CLIENTS [EVENTS_A_SECOND [SECONDS]]]: listeners to server-sent events on one
// machine. One process serves and publishes; another has all the clients, one thread, and counts
// what each has seen. A few clients never read: they must be dropped, and cost no memory.
//
// Exits with 1 if a client lost an event or saw one twice. Loopback only; ends by itself.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "server/net/event_hub.h"
#include "server/net/http_server.h"

namespace {

using namespace headroom::server;
using Clock = std::chrono::steady_clock;

struct Load {
  std::size_t clients = 1000;
  std::int64_t rate = 100;  // events a second
  std::int64_t seconds = 30;
  std::uint64_t events() const { return static_cast<std::uint64_t>(rate * seconds); }
};

constexpr int kDeaf = 5;  // clients that never read

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
      .count();
}

double memory_mib() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return static_cast<double>(resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) /
         (1 << 20);
}

void allow_many_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// `room`: bytes that the system keeps for it; 0: as it likes.
int connect_to(std::uint16_t port, int room) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (room > 0) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return -1;
  }
  constexpr std::string_view kGet = "GET /events HTTP/1.1\r\nHost: h\r\nLast-Event-ID: 0\r\n\r\n";
  return send(fd, kGet.data(), kGet.size(), 0) < 0 ? -1 : fd;
}

struct Listener {
  int fd = -1;
  std::string unread;
  std::uint64_t next = 1;  // id that must come
};

struct Counts {
  std::uint64_t seen = 0;
  std::uint64_t wrong = 0;  // out of order: something before it was lost, or it came twice
  std::vector<std::int64_t> latencies_us;
};

// Takes the events that are whole: `data: {"id":N,"us":T}`.
void count(Listener& listener, Counts& counts) {
  constexpr std::string_view kMark = "data: {\"id\":";
  std::size_t at = 0;
  for (std::size_t start = 0; (start = listener.unread.find(kMark, at)) != std::string::npos;) {
    const std::size_t end = listener.unread.find("}\n", start);
    if (end == std::string::npos) break;
    char* rest = nullptr;
    const std::uint64_t id = std::strtoull(&listener.unread[start + kMark.size()], &rest, 10);
    const std::int64_t sent = std::strtoll(rest + 6, nullptr, 10);
    if (id != listener.next) ++counts.wrong;
    listener.next = id + 1;
    ++counts.seen;
    if (id % 10 == 0) counts.latencies_us.push_back(now_us() - sent);
    at = end;
  }
  if (at > 0) listener.unread.erase(0, at);
}

// The process of the clients. Returns its exit code.
int listen_to(const Load& load, std::uint16_t port, int ready) {
  const int epoll = epoll_create1(0);
  std::vector<Listener> listeners(load.clients);
  for (std::size_t i = 0; i < listeners.size(); ++i) {
    listeners[i].fd = connect_to(port, 0);
    if (listeners[i].fd < 0) return fmt::print("client {} cannot connect\n", i), 1;
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listeners[i].fd, &event);
  }
  for (int i = 0; i < kDeaf; ++i) connect_to(port, 4096);
  if (write(ready, "r", 1) != 1) return 1;

  Counts counts;
  std::size_t closed = 0;
  std::vector<epoll_event> events(256);
  std::vector<char> buffer(256 << 10);
  const auto until = Clock::now() + std::chrono::seconds(load.seconds + 30);
  while (closed == 0 && counts.seen < load.events() * load.clients && Clock::now() < until) {
    const int count_ready = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 1000);
    for (int i = 0; i < count_ready; ++i) {
      Listener& listener = listeners[events[static_cast<std::size_t>(i)].data.u64];
      const ssize_t got = recv(listener.fd, buffer.data(), buffer.size(), 0);
      if (got <= 0) {
        ++closed;
        continue;
      }
      listener.unread.append(buffer.data(), static_cast<std::size_t>(got));
      count(listener, counts);
    }
  }
  const std::uint64_t expected = load.events() * load.clients;
  std::ranges::sort(counts.latencies_us);
  const auto percentile = [&](std::size_t n) {
    return counts.latencies_us.empty()
               ? 0.0
               : static_cast<double>(
                     counts.latencies_us[(counts.latencies_us.size() - 1) * n / 100]) /
                     1000;
  };
  fmt::print(
      "{} clients: {} of {} events seen, {} out of order, {} disconnected; "
      "latency p50 {:.0f} ms, p99 {:.0f} ms\n",
      load.clients, counts.seen, expected, counts.wrong, closed, percentile(50), percentile(99));
  return counts.seen == expected && counts.wrong == 0 && closed == 0 ? 0 : 1;
}

int serve(const Load& load) {
  Log log(Log::Level::kWarning);
  Metrics metrics;
  std::unique_ptr<net::EventHub> hub;
  net::ServerOptions options;
  options.tcp.emplace();
  options.limits.connections = load.clients + 100;
  options.limits.write_time = std::chrono::seconds(5);
  int ports[2];
  int ready[2];
  if (pipe(ports) != 0 || pipe(ready) != 0) return 1;
  const pid_t child = fork();  // before there are threads
  if (child == 0) {
    std::uint16_t port = 0;
    if (read(ports[0], &port, sizeof port) != sizeof port) return 1;
    return listen_to(load, port, ready[1]);
  }
  auto started = net::HttpServer::start(
      std::move(options),
      [&](const net::Request& request, const net::Reply& reply) {
        hub->serve(request, reply, nullptr);
      },
      log, metrics);
  if (!started) return fmt::print("{}\n", started.error().message), 1;
  net::HttpServer& server = **started;
  net::EventHub::Limits limits;
  limits.events = 1'000;  // so that whoever does not read is too slow before the end
  limits.bytes = 1 << 20;
  limits.clients = load.clients + kDeaf;
  hub = std::make_unique<net::EventHub>(
      [&](std::chrono::milliseconds time, std::function<void()> task) {
        server.after(time, std::move(task));
      },
      0, limits);
  const std::uint16_t port = server.port();
  char byte = 0;
  if (write(ports[1], &port, sizeof port) != sizeof port || read(ready[0], &byte, 1) != 1) return 1;

  const double before = memory_mib();
  double most = before;
  const auto start = Clock::now();
  const std::string padding(200, 'x');  // a job's document is about this long
  for (std::uint64_t i = 1; i <= load.events(); ++i) {
    std::this_thread::sleep_until(
        start + std::chrono::microseconds(static_cast<std::int64_t>(i) * 1'000'000 / load.rate));
    hub->publish(
        i, {{"job", fmt::format(R"({{"id":{},"us":{},"x":"{}"}})", i, now_us(), padding), ""}});
    if (i % 100 == 0) most = std::max(most, memory_mib());
  }
  const auto deaf_left = static_cast<int>(std::max(hub->clients(), load.clients) - load.clients);
  int status = 0;
  waitpid(child, &status, 0);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const double cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  fmt::print("deaf clients: {} of {} dropped\n", kDeaf - deaf_left, kDeaf);
  fmt::print("server: {:.1f} MiB with all connected, at most {:.1f} MiB; {:.2f} cores\n", before,
             most, cpu / static_cast<double>(load.seconds));
  server.stop(std::chrono::seconds(1));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Load load;
  if (argc > 1) load.clients = std::strtoul(argv[1], nullptr, 10);
  if (argc > 2) load.rate = std::strtol(argv[2], nullptr, 10);
  if (argc > 3) load.seconds = std::strtol(argv[3], nullptr, 10);
  if (load.clients == 0 || load.rate <= 0 || load.seconds <= 0) {
    fmt::print(stderr, "usage: headroom-sse-load [CLIENTS [EVENTS_A_SECOND [SECONDS]]]\n");
    return 2;
  }
  allow_many_files();
  return serve(load);
}
