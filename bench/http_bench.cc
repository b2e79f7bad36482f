// Requests a second through the HTTP server and back, on kept connections of one machine: what the
// API can give at most. Client and server share the cores.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "server/net/http_server.h"

namespace headroom::bench {

namespace {

using namespace server;

class Echo {
 public:
  Echo() {
    net::ServerOptions options;
    options.tcp.emplace();
    started_ = *net::HttpServer::start(
        std::move(options),
        [](const net::Request&, const net::Reply& reply) {
          reply.send({.headers = {{"Content-Type", "application/json"}}, .body = "{\"id\":\"1\"}"});
        },
        log_, metrics_);
  }
  std::uint16_t port() const { return started_->port(); }

 private:
  Log log_{Log::Level::kWarning};
  Metrics metrics_;
  std::unique_ptr<net::HttpServer> started_;
};

int connect_to(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return -1;
  return fd;
}

// `ahead` requests are sent before their answers are read.
void ask(benchmark::State& run, const std::string& request) {
  static const Echo server;
  const int fd = connect_to(server.port());
  const auto ahead = static_cast<std::size_t>(run.range(0));
  std::string many;
  for (std::size_t i = 0; i < ahead; ++i) many += request;
  char buffer[64 << 10];
  for (auto _ : run) {
    if (send(fd, many.data(), many.size(), 0) < 0) run.SkipWithError("the server has closed");
    for (std::size_t answers = 0; answers < ahead;) {
      const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
      if (got <= 0) return run.SkipWithError("the server has closed");
      const std::string_view text(buffer, static_cast<std::size_t>(got));
      for (std::size_t at = 0; (at = text.find('}', at)) != text.npos; ++at) ++answers;
    }
  }
  close(fd);
  run.SetItemsProcessed(run.iterations() * run.range(0));
}

void get(benchmark::State& run) {
  ask(run, "GET /api/v1/jobs/1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer hr_x\r\n\r\n");
}

void post(benchmark::State& run) {
  const std::string body = R"({"job":"train","queue":"research/vision","tasks":16,"gpus":8,)"
                           R"("run":"torchrun --nnodes=16 train.py","time":"48h"})";
  ask(run,
      "POST /api/v1/jobs HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
      "Content-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body);
}

BENCHMARK(get)->Arg(1)->Threads(1)->Threads(8)->UseRealTime();
BENCHMARK(get)->Arg(16)->Threads(4)->UseRealTime();
BENCHMARK(post)->Arg(1)->Threads(1)->Threads(8)->UseRealTime();
BENCHMARK(post)->Arg(16)->Threads(4)->UseRealTime();

}  // namespace

}  // namespace headroom::bench

BENCHMARK_MAIN();
