// Clients that mean no good, on real sockets. Others are served meanwhile.
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>

#include "server/net/client_test.h"
#include "server/net/http_server.h"

namespace headroom::server::net {
namespace {

using namespace std::chrono_literals;

class HostileTest : public testing::Test {
 protected:
  void start(const Limits& limits) {
    ServerOptions options;
    options.tcp.emplace();
    options.limits = limits;
    options.body_limit = [](std::string_view method, std::string_view target) {
      return method == "PUT" && target == "/large" ? std::optional<std::uint64_t>(8 << 20)
                                                   : std::nullopt;
    };
    auto started = HttpServer::start(
        std::move(options),
        [](const Request& request, const Reply& reply) {
          reply.send({.body = std::to_string(request.body.size())});
        },
        log_, metrics_);
    ASSERT_TRUE(started);
    server_ = *std::move(started);
  }

  int ask(std::string_view request) { return status_of(TestClient(server_->port()).ask(request)); }
  void expect_served() { EXPECT_EQ(ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), 200); }

  std::mutex lock_;
  std::string lines_;
  Log log_{Log::Level::kDebug, [this](const std::string& line) {
             const std::lock_guard guard(lock_);
             lines_ += line + "\n";
           }};
  Metrics metrics_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HostileTest, ATenMegabyteHeader) {
  start({});
  TestClient client(server_->port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\nA: ");
  const std::string part(64 << 10, 'a');
  for (int i = 0; i < 160 && client.send(part); ++i) {
  }
  const std::string answer = client.response();
  EXPECT_EQ(status_of(answer), 431);
  EXPECT_EQ(header_of(answer, "Content-Type"), "application/problem+json");
  EXPECT_NE(header_of(answer, "X-Request-Id"), "");
  EXPECT_EQ(header_of(answer, "Connection"), "close");
  EXPECT_TRUE(client.at_end());
  expect_served();
}

// The answer is there before a byte of the body is sent.
TEST_F(HostileTest, AHundredMegabyteBodyIsRefusedAtOnce) {
  start({});
  TestClient client(server_->port());
  const std::string answer =
      client.ask("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 104857600\r\n\r\n");
  EXPECT_EQ(status_of(answer), 413);
  EXPECT_NE(body_of(answer).find("the body has 104857600 bytes; at most 1048576 are allowed"),
            std::string::npos);
  const std::string part(64 << 10, 'a');
  int sent = 0;
  while (sent < 1'600 && client.send(part)) ++sent;
  EXPECT_LT(sent, 1'600);  // it does not listen to all of it
  expect_served();
}

TEST_F(HostileTest, ABodyWithoutEndInChunks) {
  start({});
  TestClient client(server_->port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(64 << 10, 'a') + "\r\n";
  for (int i = 0; i < 32 && client.send(chunk); ++i) {
  }
  EXPECT_EQ(status_of(client.response()), 413);
  expect_served();
}

TEST_F(HostileTest, RoutesMayTakeMore) {
  start({});
  const std::string body(4 << 20, 'x');
  const std::string head =
      " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  EXPECT_EQ(body_of(TestClient(server_->port()).ask("PUT /large" + head + body)),
            std::to_string(body.size()));
  EXPECT_EQ(ask("POST /large" + head), 413);
}

TEST_F(HostileTest, SlowHeadsAndBodiesAreToldSo) {
  start({.head_time = 50ms, .body_time = 50ms, .linger_time = 50ms});
  TestClient slow_head(server_->port());
  ASSERT_TRUE(slow_head.send("GET / HTTP/1.1\r\nHo"));
  TestClient slow_body(server_->port());
  ASSERT_TRUE(slow_body.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabc"));
  EXPECT_EQ(status_of(slow_head.response()), 408);
  EXPECT_EQ(status_of(slow_body.response()), 408);
  EXPECT_TRUE(slow_head.at_end());
  EXPECT_TRUE(slow_body.at_end());
  expect_served();
}

// A byte now and then does not prolong the time.
TEST_F(HostileTest, ADrippingHead) {
  start({.head_time = 100ms, .linger_time = 50ms});
  TestClient client(server_->port());
  std::thread drip([&] {
    while (client.send("G")) std::this_thread::yield();
  });
  EXPECT_NE(status_of(client.response()), 200);
  drip.join();
}

TEST_F(HostileTest, SilentClientsAreClosed) {
  start({.idle_time = 50ms});
  TestClient client(server_->port());
  EXPECT_EQ(status_of(client.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n")), 200);
  EXPECT_TRUE(client.at_end());
  TestClient silent(server_->port());
  EXPECT_TRUE(silent.at_end());
}

TEST_F(HostileTest, ARequestCutShort) {
  start({});
  TestClient client(server_->port());
  ASSERT_TRUE(client.send("GET / HT"));
  client.end_sending();
  EXPECT_EQ(status_of(client.response()), 400);
  EXPECT_TRUE(client.at_end());
}

TEST_F(HostileTest, AClientThatOnlyListensAnyMoreIsAnswered) {
  start({});
  TestClient client(server_->port());
  ASSERT_TRUE(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  client.end_sending();
  EXPECT_EQ(status_of(client.response()), 200);
  EXPECT_TRUE(client.at_end());
}

TEST_F(HostileTest, TargetsThatAreNone) {
  start({.linger_time = 50ms});
  for (const std::string target : {"/%00", "/%0a", "/../etc/passwd", "/%2e%2e%2fetc", "/?a=1&a=2",
                                   "/%ff", "host:443", "/%zz", "/?a=%0d%0aSet-Cookie:x"}) {
    EXPECT_EQ(ask("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n"), 400) << target;
  }
  EXPECT_EQ(ask("GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(ask("GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  expect_served();
}

TEST_F(HostileTest, SmugglingGetsOneAnswerAndNoSecond) {
  start({.linger_time = 50ms});
  TestClient client(server_->port());
  const std::string answer = client.ask(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
      "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(status_of(answer), 400);
  EXPECT_TRUE(client.at_end());
  const std::lock_guard guard(lock_);
  EXPECT_EQ(lines_.find("smuggled"), std::string::npos);
}

TEST_F(HostileTest, ContinueOnlyWhereTheBodyIsWelcome) {
  start({});
  TestClient client(server_->port());
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: ";
  ASSERT_TRUE(client.send(head + "3\r\n\r\n"));
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(body_of(client.ask("abc")), "3");
  EXPECT_EQ(ask(head + "104857600\r\n\r\n"), 413);
}

TEST_F(HostileTest, SecretsAreNotInTheLog) {
  start({});
  const std::string secret = "hr_abcdefgh_234567abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnop";
  ask("GET /" + secret + "?token=" + secret + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " +
      secret + "\r\n\r\n");
  ask("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(secret.size()) +
      "\r\n\r\n" + secret);
  ask(secret + " / HTTP/1.1\r\nHost: h\r\n\r\n");
  ask("GET / HTTP/1.1\r\nHost: h\r\nAuthorization: " + secret + "\x01\r\n\r\n");
  const std::string id =
      header_of(TestClient(server_->port())
                    .ask("GET / HTTP/1.1\r\nHost: h\r\nX-Request-Id: " + secret + "\r\n\r\n"),
                "X-Request-Id");
  server_->stop(1s);
  const std::lock_guard guard(lock_);
  EXPECT_NE(lines_.find("path=/hr_…"), std::string::npos) << lines_;
  EXPECT_EQ(lines_.find("234567"), std::string::npos) << lines_;
}

TEST_F(HostileTest, ManyAtATime) {
  start({.linger_time = 50ms});
  std::vector<std::thread> clients;
  std::atomic<int> served{0};
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        if (i % 4 == 0) ask("GET /\x01 HTTP/1.1\r\n\r\n");
        if (i % 4 == 1) TestClient(server_->port()).send("POST / HTTP/1.1\r\nHost");
        if (i % 4 == 2) TestClient(server_->port()).send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        if (i % 4 == 3) served += ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n") == 200 ? 1 : 0;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(served, 40);
}

}  // namespace
}  // namespace headroom::server::net
