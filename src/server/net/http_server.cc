#include "server/net/http_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "server/net/connection.h"
#include "server/net/listen.h"
#include "server/net/request_id.h"

namespace headroom::server::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds kAcceptPause{100};  // after an error, such as no file left

// A listening socket. Asio's acceptors are of one family each; this is any.
struct Listener {
  asio::posix::stream_descriptor socket;
  asio::steady_timer pause;
  int family;
  bool is_tcp() const { return family != AF_UNIX; }
};

std::string too_many_connections() {
  const std::string id = request_id("");
  const Response response =
      problem_response({.status = 503, .detail = "too many connections", .retry_after = 1}, id);
  return response_head(response,
                       {.request_id = id, .close = true, .length = response.body.size()}) +
         response.body;
}

base::Result<std::unique_ptr<asio::ssl::context>> make_tls(const TlsFiles& files) {
  auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
  error_code error;
  context->set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1 |
                           asio::ssl::context::no_compression,
                       error);
  context->use_certificate_chain_file(files.certificate, error);
  if (error) {
    return base::fail(
        fmt::format("{}: no PEM certificate ({})", files.certificate, error.message()));
  }
  context->use_private_key_file(files.key, asio::ssl::context::pem, error);
  if (error) {
    return base::fail(fmt::format("{}: not the private key of {} ({})", files.key,
                                  files.certificate, error.message()));
  }
  return context;
}

}  // namespace

struct HttpServer::Impl {
  Impl(ServerOptions options, Handler handler, Log& log, Metrics& metrics)
      : context(std::make_shared<ConnectionContext>(std::move(options), std::move(handler), log,
                                                    metrics)) {}

  base::Result<void> listen();
  void accept(Listener& listener);
  void take(int fd, const Listener& listener);
  void run();
  void stop(std::chrono::milliseconds time);
  void stop_connections(bool now);
  void forget(std::uint64_t number);

  std::shared_ptr<ConnectionContext> context;
  asio::io_context& io = context->io;
  asio::strand<asio::io_context::executor_type> accepting = asio::make_strand(io);
  std::unique_ptr<asio::ssl::context> tls;
  std::vector<std::unique_ptr<Listener>> listeners;
  std::uint16_t port = 0;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::vector<std::thread> threads;

  std::mutex lock;
  std::condition_variable gone;
  std::map<std::uint64_t, std::weak_ptr<Connection>> connections;
  std::uint64_t next_number = 0;
};

base::Result<void> HttpServer::Impl::listen() {
  const ServerOptions& options = context->options;
  if (options.tls) {
    auto made = make_tls(*options.tls);
    if (!made) return base::fail(made.error().message);
    tls = *std::move(made);
  }
  const auto add = [&](int socket, int family) {
    listeners.push_back(std::make_unique<Listener>(Listener{
        asio::posix::stream_descriptor(accepting, socket), asio::steady_timer(accepting), family}));
  };
  if (options.tcp) {
    const std::string& address = options.tcp->address;
    if (tls == nullptr && !is_loopback(address)) {
      return base::fail(fmt::format(
          "listen {}: beyond this machine (127.0.0.1, ::1) only with TLS: give a certificate and "
          "its key",
          address));
    }
    port = options.tcp->port;
    const auto socket = listen_tcp(address, port);
    if (!socket) return base::fail(socket.error().message);
    add(*socket, address.find(':') == std::string::npos ? AF_INET : AF_INET6);
  }
  if (!options.socket.empty()) {
    const auto socket = listen_socket(options.socket);
    if (!socket) return base::fail(socket.error().message);
    add(*socket, AF_UNIX);
  }
  return {};
}

// Waits for clients and takes all that are there.
void HttpServer::Impl::accept(Listener& listener) {
  listener.socket.async_wait(asio::posix::stream_descriptor::wait_read, [this, &listener](
                                                                            error_code error) {
    if (error || context->stopping) return;
    while (true) {
      const int fd =
          accept4(listener.socket.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) break;
      take(fd, listener);
    }
    if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR) return accept(listener);
    context->log.write(Log::Level::kWarning, "accept failed", {{"error", std::strerror(errno)}});
    listener.pause.expires_after(kAcceptPause);
    listener.pause.async_wait([this, &listener](error_code) {
      if (!context->stopping) accept(listener);
    });
  });
}

void HttpServer::Impl::take(int fd, const Listener& listener) {
  const bool with_tls = listener.is_tcp() && tls != nullptr;
  Socket socket(asio::make_strand(io), asio::generic::stream_protocol(listener.family, 0), fd);
  Peer peer = listener.is_tcp() ? tcp_peer(fd, with_tls) : socket_peer(fd);
  std::unique_lock guard(lock);
  if (connections.size() >= context->options.limits.connections) {
    const std::string answer = with_tls ? "" : too_many_connections();
    error_code ignored;
    socket.send(asio::buffer(answer), 0, ignored);
    return;  // closes it
  }
  auto link = with_tls ? make_tls_link(std::move(socket), *tls) : make_link(std::move(socket));
  const std::uint64_t number = next_number++;
  const auto connection = std::make_shared<Connection>(std::move(link), std::move(peer), context,
                                                       [this, number] { forget(number); });
  connections.emplace(number, connection);
  context->metrics.connections.set(static_cast<double>(connections.size()));
  guard.unlock();
  connection->start();
}

void HttpServer::Impl::forget(std::uint64_t number) {
  const std::lock_guard guard(lock);
  connections.erase(number);
  context->metrics.connections.set(static_cast<double>(connections.size()));
  if (connections.empty()) gone.notify_all();
}

void HttpServer::Impl::run() {
  work.emplace(io.get_executor());
  for (const auto& listener : listeners) accept(*listener);
  for (std::size_t i = 0; i < context->options.threads; ++i) {
    threads.emplace_back([this] { io.run(); });
  }
}

void HttpServer::Impl::stop_connections(bool now) {
  std::vector<std::shared_ptr<Connection>> alive;
  {
    const std::lock_guard guard(lock);
    for (const auto& [number, weak] : connections) {
      if (auto connection = weak.lock()) alive.push_back(std::move(connection));
    }
  }
  for (const auto& connection : alive) connection->stop(now);
}

void HttpServer::Impl::stop(std::chrono::milliseconds time) {
  if (context->stopping.exchange(true)) return;
  asio::post(accepting, [this] {
    for (const auto& listener : listeners) listener->socket.close();
  });
  if (!context->options.socket.empty()) unlink(context->options.socket.c_str());
  stop_connections(false);
  const auto is_empty = [this] { return connections.empty(); };
  {
    std::unique_lock guard(lock);
    gone.wait_for(guard, time, is_empty);
  }
  stop_connections(true);
  {
    std::unique_lock guard(lock);
    gone.wait_for(guard, std::chrono::seconds(1), is_empty);
  }
  work.reset();
  io.stop();
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  // What was under way holds its connection: let it end. A late answer is dropped from here on.
  context->stopped = true;
  io.restart();
  io.poll();
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

base::Result<std::unique_ptr<HttpServer>> HttpServer::start(ServerOptions options, Handler handler,
                                                            Log& log, Metrics& metrics) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(handler), log, metrics);
  if (auto listening = impl->listen(); !listening) return base::fail(listening.error().message);
  impl->run();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::~HttpServer() { impl_->stop(std::chrono::milliseconds(0)); }

std::uint16_t HttpServer::port() const { return impl_->port; }

void HttpServer::after(std::chrono::milliseconds time, std::function<void()> task) {
  const auto timer = std::make_shared<asio::steady_timer>(impl_->io, time);
  timer->async_wait([timer, task = std::move(task)](error_code error) {
    if (!error) task();
  });
}

void HttpServer::stop(std::chrono::milliseconds time) { impl_->stop(time); }

}  // namespace headroom::server::net
