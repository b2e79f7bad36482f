// HTTP/1.1 over TCP (with TLS where it has a certificate) and over a UNIX socket whose peer is
// known to the kernel. It knows nothing of jobs: every well-formed request goes to one handler.
//
// What is malformed, too large or too slow is answered here, as application/problem+json:
//   400 not HTTP, smuggling (both lengths, two lengths, odd encodings), bad target or query
//   408 head or body did not come in time        413 body over its limit, by its length at once
//   417 Expect other than 100-continue           431 head over its limit
//   503 too many requests in flight or connections, with Retry-After
// After such an answer the connection closes.
//
// Two threads carry thousands of connections; a handler must not block them. Cost of a small
// request on a kept connection: docs/server.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/net/http.h"

namespace headroom::server::net {

struct Limits {
  std::size_t head = 16 << 10;                   // bytes of request line and headers
  std::uint64_t body = 1 << 20;                  // bytes; unless body_limit says
  std::chrono::milliseconds head_time{10'000};   // from its first byte to its last
  std::chrono::milliseconds body_time{30'000};   // from the head to the last byte
  std::chrono::milliseconds idle_time{75'000};   // between requests
  std::chrono::milliseconds write_time{30'000};  // an answer, or a chunk of a stream
  std::chrono::milliseconds linger_time{1'000};  // to hear out a refused client
  std::size_t connections = 4096;
  std::size_t in_flight = 1024;  // requests that the handler has and has not answered
};

struct TlsFiles {
  std::string certificate;  // PEM, with the chain
  std::string key;          // PEM
};

struct ServerOptions {
  struct Tcp {
    std::string address = "127.0.0.1";  // IPv4 or IPv6; beyond loopback only with TLS
    std::uint16_t port = 0;             // 0: any free one
  };
  std::optional<Tcp> tcp;
  std::optional<TlsFiles> tls;  // of the TCP listener
  std::string socket;           // path of the UNIX socket; "": none
  std::size_t threads = 2;
  Limits limits;
  // Bytes of body allowed to this method and path; none: limits.body.
  std::function<std::optional<std::uint64_t>(std::string_view method, std::string_view target)>
      body_limit;
};

class HttpServer {
 public:
  // Listens before it returns. Errors: an address that is taken or not ours, beyond loopback
  // without TLS, certificate files, a socket on which another server answers. `log` and `metrics`
  // outlive the server.
  static base::Result<std::unique_ptr<HttpServer>> start(ServerOptions options, Handler handler,
                                                         Log& log, Metrics& metrics);
  ~HttpServer();  // stop(0)

  std::uint16_t port() const;  // of TCP; 0: none

  // Runs `task` on a thread of the server after the time. Any thread; not run after stop.
  void after(std::chrono::milliseconds time, std::function<void()> task);

  // Stops accepting, closes what is idle, ends streams, lets requests in flight finish within
  // `time`, then closes the rest and joins the threads. Blocks; from a thread of the caller only.
  void stop(std::chrono::milliseconds time);

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headroom::server::net
