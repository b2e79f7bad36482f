// Server-sent events: what is published goes to all who listen, in order, and none is lost.
//
// An event's id is the journal's sequence; of several events of one sequence the last carries it.
// So a client that comes back with Last-Event-ID (or connects with the sequence of the list it has
// loaded) goes on exactly after it. Where that is gone it is told `reset`: load everything again,
// then go on from the id of the reset. The last events are kept, once for all clients; a client is
// a position among them, so a slow one costs no memory: when its next event is gone, it gets
// `reset` and is disconnected.
//
// Events are gathered for 50 ms before they are sent; a comment keeps a quiet connection alive.
//
//   publish   O(events); any thread     sending   O(clients + what they get), on the server's
//   threads
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/net/http.h"

namespace headroom::server::net {

struct Event {
  std::string type;   // "job", "node", …
  std::string data;   // JSON
  std::string topic;  // what filters look at, such as the queue; not sent
};

class EventHub {
 public:
  struct Limits {
    std::size_t events = 65'536;  // kept
    std::size_t bytes = 32 << 20;
    std::size_t clients = 2'000;
    std::size_t write = 64 << 10;  // bytes sent to a client at a time
    std::chrono::milliseconds gather{50};
    std::chrono::milliseconds heartbeat{15'000};  // longest silence
    std::chrono::milliseconds retry{2'000};       // after which a client connects again
  };
  // Runs a task later (HttpServer::after).
  using After = std::function<void(std::chrono::milliseconds, std::function<void()>)>;
  using Filter = std::function<bool(const Event&)>;  // none: everything

  // `sequence`: the journal's last; what came before is gone.
  EventHub(After after, std::uint64_t sequence, const Limits& limits);
  EventHub(After after, std::uint64_t sequence);
  ~EventHub();

  // All events of a sequence at once; sequences rise.
  void publish(std::uint64_t sequence, std::vector<Event> events);

  // Answers a request for events, and goes on until the client leaves. 503: too many clients.
  void serve(const Request& request, const Reply& reply, Filter filter);

  std::size_t clients() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headroom::server::net
