// The hub with clients and a clock of the test: nothing here takes time.
#include "server/net/event_hub.h"

#include <gtest/gtest.h>

#include <map>

#include "server/net/problem.h"

namespace headroom::server::net {
namespace {

using namespace std::chrono_literals;

// A client that takes what it is sent when the test says so.
class FakeStream final : public Stream {
 public:
  void write(std::string data, std::function<void(bool)> done) override {
    ASSERT_FALSE(done_) << "two writes at a time";
    text += data;
    last = std::move(data);
    ++writes;
    done_ = std::move(done);
    if (!slow) take();
  }
  void end() override { ended = true; }
  void on_close(std::function<void()> closed) override { closed_ = std::move(closed); }
  void take(bool alive = true) {
    const auto done = std::exchange(done_, nullptr);
    if (done) done(alive);
  }
  void leave() { closed_(); }

  std::string text;
  std::string last;
  int writes = 0;
  bool slow = false;
  bool ended = false;

 private:
  std::function<void(bool)> done_;
  std::function<void()> closed_;
};

class FakeSink final : public ReplySink {
 public:
  FakeSink(std::shared_ptr<FakeStream> stream, Response& answer)
      : stream_(std::move(stream)), answer_(answer) {}
  void send(Response response) override { answer_ = std::move(response); }
  std::shared_ptr<Stream> stream(Response head) override {
    answer_ = std::move(head);
    return stream_;
  }
  void abandon() override {}

 private:
  std::shared_ptr<FakeStream> stream_;
  Response& answer_;
};

class EventHubTest : public testing::Test {
 protected:
  EventHub::After after() {
    return [this](std::chrono::milliseconds time, std::function<void()> task) {
      tasks_.emplace(now_ + time, std::move(task));
    };
  }
  void pass(std::chrono::milliseconds time) {
    const auto until = now_ + time;
    while (!tasks_.empty() && tasks_.begin()->first <= until) {
      auto next = tasks_.extract(tasks_.begin());
      now_ = next.key();
      next.mapped()();
    }
    now_ = until;
  }
  std::shared_ptr<FakeStream> connect(EventHub& hub, const std::string& last_event_id = "",
                                      EventHub::Filter filter = nullptr, bool slow = false) {
    auto stream = std::make_shared<FakeStream>();
    stream->slow = slow;
    Request request{.id = "r1"};
    if (!last_event_id.empty()) request.headers = {{"Last-Event-ID", last_event_id}};
    hub.serve(request, Reply(std::make_unique<FakeSink>(stream, answer_)), std::move(filter));
    return stream;
  }
  static std::vector<Event> job(const std::string& data, const std::string& queue = "") {
    return {{.type = "job", .data = data, .topic = queue}};
  }

  std::chrono::milliseconds now_{0};
  std::multimap<std::chrono::milliseconds, std::function<void()>> tasks_;
  Response answer_;
};

TEST_F(EventHubTest, GathersAndSendsInOrder) {
  EventHub hub(after(), 10);
  const auto client = connect(hub);
  EXPECT_EQ(answer_.headers[0].second, "text/event-stream");
  EXPECT_EQ(client->text, "retry: 2000\nid: 10\n\n");
  hub.publish(11, job("a"));
  hub.publish(13, job("b\nc"));
  EXPECT_EQ(client->writes, 1);
  pass(49ms);
  EXPECT_EQ(client->writes, 1);
  pass(1ms);
  EXPECT_EQ(client->writes, 2);
  EXPECT_EQ(client->last,
            "id: 11\nevent: job\ndata: a\n\nid: 13\nevent: job\ndata: b\ndata: c\n\n");
}

TEST_F(EventHubTest, TheLastEventOfASequenceCarriesItsId) {
  EventHub hub(after(), 0);
  const auto client = connect(hub);
  hub.publish(1, {{"job", "a", ""}, {"queue", "b", ""}});
  pass(50ms);
  EXPECT_EQ(client->last, "event: job\ndata: a\n\nid: 1\nevent: queue\ndata: b\n\n");
}

TEST_F(EventHubTest, GoesOnAfterTheLastEventSeen) {
  EventHub hub(after(), 10);
  for (std::uint64_t i = 11; i <= 15; ++i) hub.publish(i, job(std::to_string(i)));
  const std::string greeting = "retry: 2000\nid: ";
  const auto all = connect(hub, "10");
  EXPECT_TRUE(all->text.starts_with(greeting + "10\n\nid: 11\n")) << all->text;
  const auto some = connect(hub, "13");
  EXPECT_EQ(some->text, greeting +
                            "13\n\nid: 14\nevent: job\ndata: 14\n\nid: 15\nevent: job\n"
                            "data: 15\n\n");
  EXPECT_EQ(connect(hub, "15")->text, greeting + "15\n\n");
}

TEST_F(EventHubTest, ResetsWhereHistoryIsGoneOrNotOurs) {
  EventHub hub(after(), 10, {.events = 2});
  for (std::uint64_t i = 11; i <= 15; ++i) hub.publish(i, job(std::to_string(i)));
  const std::string reset =
      "retry: 2000\n\nid: 15\nevent: reset\ndata: {\"reason\":\"history is gone\"}\n\n";
  for (const std::string id : {"9", "12", "16", "x", "-1", "99999999999999999999"}) {
    EXPECT_EQ(connect(hub, id)->text, reset) << id;
  }
  const auto client = connect(hub, "13");
  EXPECT_NE(client->text.find("data: 14"), std::string::npos);
  const auto after_reset = connect(hub, "1");
  hub.publish(16, job("16"));
  pass(50ms);
  EXPECT_EQ(after_reset->last, "id: 16\nevent: job\ndata: 16\n\n");
}

TEST_F(EventHubTest, AClientSeesWhatPassesItsFilterAndLearnsHowFarItIs) {
  EventHub hub(after(), 0);
  const auto client = connect(hub, "", [](const Event& event) { return event.topic == "a"; });
  hub.publish(1, job("1", "a"));
  hub.publish(2, job("2", "b"));
  pass(50ms);
  EXPECT_EQ(client->last, "id: 1\nevent: job\ndata: 1\n\nid: 2\n\n");
  hub.publish(3, {{"job", "3", "a"}, {"job", "3b", "b"}});
  pass(50ms);
  EXPECT_EQ(client->last, "id: 3\nevent: job\ndata: 3\n\n");
}

TEST_F(EventHubTest, ASlowClientCatchesUpWhileItsNextEventIsKept) {
  EventHub hub(after(), 0, {.events = 100});
  const auto client = connect(hub, "", nullptr, true);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    hub.publish(i, job(std::to_string(i)));
    pass(50ms);
  }
  EXPECT_EQ(client->writes, 1);  // of which it has taken nothing
  client->take();
  client->take();
  for (int i = 1; i <= 100; ++i) {
    EXPECT_NE(client->text.find("data: " + std::to_string(i) + "\n"), std::string::npos) << i;
  }
  EXPECT_FALSE(client->ended);
}

TEST_F(EventHubTest, ATooSlowClientIsResetAndDropped) {
  EventHub hub(after(), 0, {.events = 100});
  const auto client = connect(hub, "", nullptr, true);
  const auto quick = connect(hub);
  for (std::uint64_t i = 1; i <= 101; ++i) {
    hub.publish(i, job(std::to_string(i)));
    pass(50ms);
  }
  EXPECT_EQ(hub.clients(), 2U);
  client->take();
  EXPECT_EQ(client->last, "id: 101\nevent: reset\ndata: {\"reason\":\"too slow\"}\n\n");
  EXPECT_TRUE(client->ended);
  EXPECT_EQ(hub.clients(), 1U);
  EXPECT_EQ(quick->last, "id: 101\nevent: job\ndata: 101\n\n");
}

TEST_F(EventHubTest, KeepsNoMoreBytesThanItsLimit) {
  EventHub hub(after(), 0, {.bytes = 10'000});
  for (std::uint64_t i = 1; i <= 100; ++i) hub.publish(i, job(std::string(997, 'x')));
  EXPECT_NE(connect(hub, "89")->text.find("reset"), std::string::npos);
  EXPECT_EQ(connect(hub, "90")->text.find("reset"), std::string::npos);
}

TEST_F(EventHubTest, SendsInPieces) {
  EventHub hub(after(), 0, {.write = 1'000});
  for (std::uint64_t i = 1; i <= 100; ++i) hub.publish(i, job(std::string(100, 'x')));
  const auto client = connect(hub, "0", nullptr, true);
  std::size_t longest = 0;
  for (int i = 0; i < 100; ++i) {
    longest = std::max(longest, client->last.size());
    client->take();
  }
  EXPECT_LT(longest, 1'200U);
  EXPECT_NE(client->text.find("id: 100\n"), std::string::npos);
}

TEST_F(EventHubTest, IsNeverSilentForLongerThanAHeartbeat) {
  EventHub hub(after(), 0);
  const auto client = connect(hub);
  const auto stuck = connect(hub, "", nullptr, true);
  auto since = now_;
  int comments = 0;
  for (int i = 0; i < 600; ++i) {
    const int before = client->writes;
    pass(100ms);
    if (client->writes == before) continue;
    EXPECT_EQ(client->last, ":\n\n");
    EXPECT_LE(now_ - since, 15s);
    since = now_;
    ++comments;
  }
  EXPECT_GE(comments, 4);
  EXPECT_LE(comments, 6);
  EXPECT_EQ(stuck->writes, 1);
}

TEST_F(EventHubTest, ForgetsClientsThatLeave) {
  EventHub hub(after(), 0, {.clients = 2});
  const auto first = connect(hub);
  const auto second = connect(hub, "", nullptr, true);
  connect(hub);
  EXPECT_EQ(answer_.status, 503);
  first->leave();
  EXPECT_EQ(hub.clients(), 1U);
  second->take(false);
  EXPECT_EQ(hub.clients(), 0U);
}

TEST_F(EventHubTest, EndsItsStreamsAndLeavesNothingBehind) {
  std::shared_ptr<FakeStream> client;
  {
    EventHub hub(after(), 0);
    client = connect(hub);
    hub.publish(1, job("a"));
  }
  EXPECT_TRUE(client->ended);
  pass(1min);
  client->leave();
}

}  // namespace
}  // namespace headroom::server::net
