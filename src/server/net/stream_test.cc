// Streams and server-sent events through real sockets.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "server/net/client_test.h"
#include "server/net/event_hub.h"
#include "server/net/http_server.h"

namespace headroom::server::net {
namespace {

using namespace std::chrono_literals;

const std::string kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

class StreamTest : public testing::Test {
 protected:
  void start(const Handler& handler, const Limits& limits = {}) {
    ServerOptions options;
    options.tcp.emplace();
    options.limits = limits;
    auto started = HttpServer::start(std::move(options), handler, log_, metrics_);
    ASSERT_TRUE(started);
    server_ = *std::move(started);
  }
  // Starts a stream for the one client there will be.
  std::shared_ptr<Stream> start_one(TestClient*& client, const Limits& limits = {}) {
    start([this](const Request&, const Reply& reply) { arrived_.set_value(reply.stream({})); },
          limits);
    client_ = std::make_unique<TestClient>(server_->port());
    client = client_.get();
    client->send(kGet);
    return arrived_.get_future().get();
  }

  Log log_{Log::Level::kError, [](const std::string&) {}};
  Metrics metrics_;
  std::promise<std::shared_ptr<Stream>> arrived_;
  std::unique_ptr<TestClient> client_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(StreamTest, SendsChunksAndEnds) {
  TestClient* client = nullptr;
  const auto stream = start_one(client);
  std::promise<bool> first;
  stream->write("hello", [&](bool alive) { first.set_value(alive); });
  EXPECT_TRUE(first.get_future().get());
  stream->write("world", nullptr);
  stream->end();
  const std::string answer = client->response();
  EXPECT_EQ(header_of(answer, "Transfer-Encoding"), "chunked");
  EXPECT_EQ(header_of(answer, "Connection"), "close");
  EXPECT_EQ(body_of(answer), "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n");
  EXPECT_TRUE(client->at_end());
}

TEST_F(StreamTest, ToHttp10WithoutChunksAndToHeadNothing) {
  start([](const Request&, const Reply& reply) {
    const auto stream = reply.stream({.body = "first "});
    stream->write("second", nullptr);
  });
  TestClient old(server_->port());
  ASSERT_TRUE(old.send("GET / HTTP/1.0\r\n\r\n"));
  const std::string answer = old.read_until("no such text");
  EXPECT_EQ(header_of(answer, "Transfer-Encoding"), "");
  EXPECT_EQ(body_of(answer), "first second");
  TestClient head(server_->port());
  ASSERT_TRUE(head.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"));
  EXPECT_EQ(status_of(head.response(true)), 200);
  EXPECT_TRUE(head.at_end());
}

// 24 MiB do not fit between two ends that are not read from: some writes must wait for the reader.
TEST_F(StreamTest, WritesWaitForTheReader) {
  constexpr int kParts = 24;
  TestClient* client = nullptr;
  const auto stream = start_one(client);
  std::atomic<int> written{0};
  std::function<void(bool)> next = [&](bool alive) {
    if (!alive) return;
    if (++written == kParts) return stream->end();
    stream->write(std::string(1 << 20, 'x'), next);
  };
  stream->write(std::string(1 << 20, 'x'), next);
  client->read_until("xxxx");
  EXPECT_LT(written, kParts);
  const std::string rest = client->read_until("\r\n0\r\n\r\n");
  EXPECT_EQ(written, kParts);
  EXPECT_EQ(std::count(rest.begin(), rest.end(), 'x') + 4, std::int64_t{kParts} << 20);
}

TEST_F(StreamTest, NoticesAClientThatLeaves) {
  TestClient* client = nullptr;
  const auto stream = start_one(client);
  std::promise<void> closed;
  stream->on_close([&] { closed.set_value(); });
  client_.reset();
  closed.get_future().get();
  std::promise<bool> done;
  stream->write("x", [&](bool alive) { done.set_value(alive); });
  EXPECT_FALSE(done.get_future().get());
  std::promise<void> again;
  stream->on_close([&] { again.set_value(); });
  again.get_future().get();
}

TEST_F(StreamTest, GivesUpOnAClientThatDoesNotRead) {
  TestClient* client = nullptr;
  const auto stream = start_one(client, {.write_time = 50ms});
  std::promise<void> gave_up;
  std::function<void(bool)> next = [&](bool alive) {
    if (!alive) return gave_up.set_value();
    stream->write(std::string(1 << 20, 'x'), next);
  };
  stream->write("x", next);
  gave_up.get_future().get();
}

TEST_F(StreamTest, EndsWhenTheServerStops) {
  TestClient* client = nullptr;
  const auto stream = start_one(client);
  std::promise<void> closed;
  stream->on_close([&] { closed.set_value(); });
  std::thread stopping([&] { server_->stop(10s); });
  closed.get_future().get();
  EXPECT_TRUE(client->response().ends_with("0\r\n\r\n"));
  EXPECT_TRUE(client->at_end());
  stopping.join();
}

TEST_F(StreamTest, AStreamThatIsForgottenEnds) {
  start([](const Request&, const Reply& reply) { reply.stream({.body = "all"}); });
  EXPECT_EQ(body_of(TestClient(server_->port()).ask(kGet)), "3\r\nall\r\n0\r\n\r\n");
}

class EventsTest : public StreamTest {
 protected:
  EventsTest() {
    start([this](const Request& request, const Reply& reply) {
      hub_.load()->serve(request, reply, nullptr);
    });
    hub_owner_ = std::make_unique<EventHub>(
        [this](std::chrono::milliseconds time, std::function<void()> task) {
          server_->after(time, std::move(task));
        },
        10);
    hub_ = hub_owner_.get();
  }
  ~EventsTest() override { server_->stop(1s); }
  void publish(std::uint64_t sequence) {
    hub_owner_->publish(sequence, {{"job", std::to_string(sequence), ""}});
  }

  std::unique_ptr<EventHub> hub_owner_;
  std::atomic<EventHub*> hub_{nullptr};
};

TEST_F(EventsTest, ReachTheirListenersAndGoOnWhereOneWas) {
  TestClient client(server_->port());
  ASSERT_TRUE(client.send(kGet));
  EXPECT_NE(client.read_until("id: 10\n\n").find("text/event-stream"), std::string::npos);
  publish(11);
  publish(12);
  EXPECT_NE(client.read_until("data: 12\n\n").find("data: 11\n\n"), std::string::npos);
  TestClient again(server_->port());
  ASSERT_TRUE(again.send("GET / HTTP/1.1\r\nHost: h\r\nLast-Event-ID: 11\r\n\r\n"));
  const std::string seen = again.read_until("data: 12\n\n");
  EXPECT_EQ(seen.find("data: 11"), std::string::npos);
  EXPECT_NE(seen.find("id: 12"), std::string::npos);
}

TEST_F(EventsTest, NoneIsLostWhileManyListen) {
  constexpr std::uint64_t kEvents = 500;
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(std::make_unique<TestClient>(server_->port()));
    ASSERT_TRUE(clients.back()->send(kGet));
    clients.back()->read_until("id: 10\n\n");
  }
  std::thread publishing([&] {
    for (std::uint64_t i = 11; i <= 10 + kEvents; ++i) publish(i);
  });
  for (const auto& client : clients) {
    const std::string seen = client->read_until("data: " + std::to_string(10 + kEvents) + "\n");
    for (std::uint64_t i = 11, at = 0; i <= 10 + kEvents; ++i) {
      at = seen.find("data: " + std::to_string(i) + "\n", at);
      ASSERT_NE(at, std::string::npos) << i;
    }
  }
  publishing.join();
  EXPECT_EQ(hub_owner_->clients(), 50U);
}

}  // namespace
}  // namespace headroom::server::net
