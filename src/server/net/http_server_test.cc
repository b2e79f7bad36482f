// The server and its clients on real sockets. Waits are for what must happen, never for a time.
#include "server/net/http_server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include "server/net/client_test.h"

namespace headroom::server::net {
namespace {

using namespace std::chrono_literals;

class HttpServerTest : public testing::Test {
 protected:
  // Answers with what it was asked.
  static void echo(const Request& request, const Reply& reply) {
    std::string text = request.method + " ";
    for (const std::string& segment : request.path) text += "[" + segment + "]";
    for (const auto& [name, value] : request.query) text += " " + name + "=" + value;
    reply.send({.status = 200, .body = text + "\n" + request.body});
  }

  void start(const Handler& handler, ServerOptions options = {}) {
    if (options.socket.empty()) options.tcp.emplace();
    auto started = HttpServer::start(std::move(options), handler, log_, metrics_);
    ASSERT_TRUE(started) << started.error().message;
    server_ = *std::move(started);
  }

  std::string ask(std::string_view request) { return TestClient(server_->port()).ask(request); }

  std::string log() {
    const std::lock_guard guard(lock_);
    return lines_;
  }

  std::mutex lock_;
  std::string lines_;
  Log log_{Log::Level::kDebug, [this](const std::string& line) {
             const std::lock_guard guard(lock_);
             lines_ += line + "\n";
           }};
  Metrics metrics_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersOnAKeptConnection) {
  start(echo);
  TestClient client(server_->port());
  for (int i = 0; i < 3; ++i) {
    const std::string answer = client.ask("GET /a/b%2Fc?x=1&y=a+b HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_EQ(body_of(answer), "GET [a][b/c] x=1 y=a b\n");
  }
}

TEST_F(HttpServerTest, TakesBodiesByLengthAndInChunks) {
  start(echo);
  TestClient client(server_->port());
  EXPECT_EQ(body_of(client.ask("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello")),
            "POST \nhello");
  EXPECT_EQ(body_of(client.ask("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                               "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n")),
            "POST \nhello");
}

TEST_F(HttpServerTest, AnswersFromAnotherThreadLater) {
  std::thread later;
  start([&](const Request&, const Reply& reply) {
    later = std::thread([reply] { reply.send({.status = 201, .body = "done"}); });
  });
  EXPECT_EQ(body_of(ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n")), "done");
  later.join();
}

TEST_F(HttpServerTest, AnswersRequestsSentAheadInOrder) {
  start(echo);
  TestClient client(server_->port());
  ASSERT_TRUE(client.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_EQ(body_of(client.response()), "GET [1]\n");
  EXPECT_EQ(body_of(client.response()), "GET [2]\n");
}

TEST_F(HttpServerTest, AForgottenReplyAndAThrowAnswer500) {
  start([](const Request& request, const Reply&) {
    if (!request.path.empty()) throw std::runtime_error("broken");
  });
  EXPECT_EQ(status_of(ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n")), 500);
  EXPECT_EQ(status_of(ask("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")), 500);
  EXPECT_NE(log().find("error=broken"), std::string::npos);
}

TEST_F(HttpServerTest, HeadHasTheLengthAndNoBody) {
  start(echo);
  TestClient client(server_->port());
  ASSERT_TRUE(client.send("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n"));
  const std::string answer = client.response(true);
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_EQ(header_of(answer, "Content-Length"), "8");
  EXPECT_EQ(body_of(client.ask("GET /b HTTP/1.1\r\nHost: h\r\n\r\n")), "GET [b]\n");
}

TEST_F(HttpServerTest, RequestIdsComeBack) {
  start(echo);
  const auto id = [&](const std::string& sent) {
    return header_of(ask("GET / HTTP/1.1\r\nHost: h\r\n" + sent + "\r\n"), "X-Request-Id");
  };
  EXPECT_EQ(id("X-Request-Id: mine-1.2_3\r\n"), "mine-1.2_3");
  const std::string made = id("");
  EXPECT_FALSE(made.empty());
  EXPECT_NE(id(""), made);
  EXPECT_NE(id("X-Request-Id: two words\r\n"), "two words");
  EXPECT_NE(log().find("request id=mine-1.2_3 method=GET path=/ status=200"), std::string::npos);
}

TEST_F(HttpServerTest, TheKernelSaysWhoIsAtTheSocket) {
  const std::string path = std::filesystem::temp_directory_path() /
                           ("headroom_http_" + std::to_string(getpid()) + ".socket");
  start(
      [](const Request& request, const Reply& reply) {
        reply.send({.body = std::to_string(request.peer.uid.value()) + " " + request.peer.user});
      },
      {.socket = path});
  EXPECT_EQ(server_->port(), 0);
  const std::string answer = TestClient(path).ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(body_of(answer).starts_with(std::to_string(geteuid()) + " ")) << answer;

  ServerOptions second{.socket = path};
  const auto refused = HttpServer::start(second, echo, log_, metrics_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "listen " + path + ": another server answers there");
  server_->stop(0ms);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(HttpServerTest, ListensBeyondLoopbackOnlyWithTls) {
  ServerOptions options;
  options.tcp = {.address = "0.0.0.0"};
  const auto refused = HttpServer::start(options, echo, log_, metrics_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("only with TLS"), std::string::npos);
  options.tcp = {.address = "localhost"};
  EXPECT_FALSE(HttpServer::start(options, echo, log_, metrics_));
  options.tcp = {.address = "127.0.0.1"};
  options.tls = {.certificate = "/nowhere.pem", .key = "/nowhere.key"};
  const auto no_files = HttpServer::start(options, echo, log_, metrics_);
  ASSERT_FALSE(no_files);
  EXPECT_TRUE(no_files.error().message.starts_with("/nowhere.pem: "));
}

TEST_F(HttpServerTest, FinishesWhatIsInFlightWhenItStops) {
  std::promise<Reply> arrived;
  start([&](const Request&, const Reply& reply) { arrived.set_value(reply); });
  TestClient idle(server_->port());
  TestClient busy(server_->port());
  ASSERT_TRUE(busy.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Reply reply = arrived.get_future().get();
  std::thread stopping([&] { server_->stop(10s); });
  EXPECT_TRUE(idle.at_end());
  reply.send({.body = "finished"});
  const std::string answer = busy.response();
  EXPECT_EQ(body_of(answer), "finished");
  EXPECT_EQ(header_of(answer, "Connection"), "close");
  stopping.join();
}

TEST_F(HttpServerTest, AnAnswerAfterTheStopIsDropped) {
  std::promise<Reply> arrived;
  start([&](const Request&, const Reply& reply) { arrived.set_value(reply); });
  TestClient client(server_->port());
  ASSERT_TRUE(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Reply reply = arrived.get_future().get();
  server_.reset();
  EXPECT_TRUE(client.at_end());
  reply.send({.body = "late"});
}

TEST_F(HttpServerTest, RefusesMoreInFlightAndMoreConnectionsThanItsLimits) {
  ServerOptions options;
  options.limits.in_flight = 1;
  options.limits.connections = 2;
  std::promise<Reply> arrived;
  start([&](const Request&, const Reply& reply) { arrived.set_value(reply); }, options);
  TestClient first(server_->port());
  ASSERT_TRUE(first.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  const Reply reply = arrived.get_future().get();
  TestClient second(server_->port());
  const std::string busy = second.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(status_of(busy), 503);
  EXPECT_EQ(header_of(busy, "Retry-After"), "1");
  TestClient third(server_->port());
  EXPECT_EQ(status_of(third.response()), 503);
  reply.send({.status = 204});
  EXPECT_EQ(status_of(first.response()), 204);
}

}  // namespace
}  // namespace headroom::server::net
