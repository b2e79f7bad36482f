#include "server/net/event_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/assert.h"
#include "server/net/problem.h"

namespace headroom::server::net {

namespace {

constexpr int kTicks = 4;  // in a heartbeat; after three quiet ones it is time for a comment
constexpr std::string_view kComment = ":\n\n";

// All events of one sequence.
struct Entry {
  std::uint64_t sequence = 0;
  std::vector<Event> events;
  std::size_t bytes = 0;
};

struct Client {
  std::shared_ptr<Stream> stream;
  EventHub::Filter filter;
  std::uint64_t seen = 0;  // it has all up to this sequence
  std::string greeting;    // to be sent first
  bool writing = false;
  bool behind = false;  // to be sent more as soon as the write is done
  int quiet = 0;        // ticks without a write
};

std::optional<std::uint64_t> parse_id(std::string_view text) {
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return id;
}

void append(std::string& out, std::string_view type, std::string_view data) {
  out.append("event: ").append(type).append("\n");
  while (true) {
    const std::size_t end = data.find('\n');
    out.append("data: ").append(data.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    data.remove_prefix(end + 1);
  }
  out.append("\n");
}

std::string reset_event(std::uint64_t sequence, std::string_view reason) {
  std::string text = fmt::format("id: {}\n", sequence);
  append(text, "reset", fmt::format(R"({{"reason":"{}"}})", reason));
  return text;
}

// What of the entry passes the filter; the last event carries the id. False: nothing.
bool append(std::string& out, const Entry& entry, const EventHub::Filter& filter) {
  std::size_t last = std::string::npos;
  for (const Event& event : entry.events) {
    if (filter && !filter(event)) continue;
    last = out.size();
    append(out, event.type, event.data);
  }
  if (last == std::string::npos) return false;
  out.insert(last, fmt::format("id: {}\n", entry.sequence));
  return true;
}

}  // namespace

// Callbacks hold on to it, and may come when the hub is gone.
struct EventHub::State : std::enable_shared_from_this<EventHub::State> {
  State(After to, std::uint64_t sequence, const Limits& given)
      : after(std::move(to)), limits(given), gone(sequence), last(sequence) {}

  void publish(std::uint64_t sequence, std::vector<Event> events);
  void add(const std::shared_ptr<Client>& client, std::string_view last_event_id);
  void greet(Client& client, std::string_view last_event_id) const;
  std::string next_text(Client& client) const;
  void send(const std::shared_ptr<Client>& client);
  void written(const std::shared_ptr<Client>& client, bool alive);
  void remove(const std::shared_ptr<Client>& client);
  void flush();
  void tick();
  void later(std::chrono::milliseconds time, void (State::*what)());
  std::vector<std::shared_ptr<Client>> all_clients() const;

  const After after;
  const Limits limits;

  mutable std::mutex lock;  // of all below; never held while a stream is called
  std::deque<Entry> entries;
  std::size_t count = 0;  // events in them
  std::size_t bytes = 0;
  std::uint64_t gone;  // all after this sequence is in `entries`
  std::uint64_t last;  // published
  bool flush_is_coming = false;
  std::set<std::shared_ptr<Client>> clients;
};

void EventHub::State::later(std::chrono::milliseconds time, void (State::*what)()) {
  after(time, [weak = weak_from_this(), what] {
    if (const auto state = weak.lock()) (state.get()->*what)();
  });
}

void EventHub::State::publish(std::uint64_t sequence, std::vector<Event> events) {
  if (events.empty()) return;
  const std::lock_guard guard(lock);
  HEADROOM_ASSERT(sequence > last);
  last = sequence;
  Entry entry{.sequence = sequence, .events = std::move(events)};
  for (const Event& event : entry.events) entry.bytes += event.type.size() + event.data.size();
  count += entry.events.size();
  bytes += entry.bytes;
  entries.push_back(std::move(entry));
  while (count > limits.events || bytes > limits.bytes) {
    const Entry& oldest = entries.front();
    gone = oldest.sequence;
    count -= oldest.events.size();
    bytes -= oldest.bytes;
    entries.pop_front();
  }
  if (clients.empty() || std::exchange(flush_is_coming, true)) return;
  later(limits.gather, &State::flush);
}

// Where a new client begins, and what it is told first.
void EventHub::State::greet(Client& client, std::string_view last_event_id) const {
  const auto seen = parse_id(last_event_id);
  const bool known = seen && *seen >= gone && *seen <= last;
  client.seen = known ? *seen : last;
  client.greeting = fmt::format("retry: {}\n", limits.retry.count());
  if (!known && !last_event_id.empty()) {
    client.greeting += "\n" + reset_event(last, "history is gone");
  } else {
    client.greeting += fmt::format("id: {}\n\n", client.seen);
  }
}

void EventHub::State::add(const std::shared_ptr<Client>& client, std::string_view last_event_id) {
  {
    const std::lock_guard guard(lock);
    greet(*client, last_event_id);
    clients.insert(client);
  }
  client->stream->on_close([weak = weak_from_this(), client] {
    if (const auto state = weak.lock()) state->remove(client);
  });
  send(client);
}

// What the client is to be sent next; "": it has everything. It is moved on by that.
std::string EventHub::State::next_text(Client& client) const {
  std::string text = std::exchange(client.greeting, {});
  auto entry = std::ranges::upper_bound(entries, client.seen, {}, &Entry::sequence);
  const auto begin = entry;
  bool has_id = true;
  for (; entry != entries.end() && text.size() < limits.write; ++entry) {
    has_id = append(text, *entry, client.filter);
    client.seen = entry->sequence;
  }
  client.behind = entry != entries.end();
  // Where the last did not pass the filter, the client still learns how far it is.
  if (begin != entry && !has_id) text += fmt::format("id: {}\n\n", client.seen);
  return text;
}

void EventHub::State::send(const std::shared_ptr<Client>& client) {
  std::string text;
  bool dropped = false;
  {
    const std::lock_guard guard(lock);
    if (client->writing) {
      client->behind = true;
      return;
    }
    dropped = client->seen < gone;
    text = dropped ? reset_event(last, "too slow") : next_text(*client);
    if (text.empty()) return;
    client->writing = true;
    client->quiet = 0;
  }
  client->stream->write(std::move(text), [weak = weak_from_this(), client](bool alive) {
    if (const auto state = weak.lock()) state->written(client, alive);
  });
  if (!dropped) return;
  client->stream->end();
  remove(client);
}

void EventHub::State::written(const std::shared_ptr<Client>& client, bool alive) {
  bool behind = false;
  {
    const std::lock_guard guard(lock);
    client->writing = false;
    behind = std::exchange(client->behind, false);
  }
  if (!alive) return remove(client);
  if (behind) send(client);
}

void EventHub::State::remove(const std::shared_ptr<Client>& client) {
  const std::lock_guard guard(lock);
  clients.erase(client);
}

std::vector<std::shared_ptr<Client>> EventHub::State::all_clients() const {
  const std::lock_guard guard(lock);
  return {clients.begin(), clients.end()};
}

void EventHub::State::flush() {
  {
    const std::lock_guard guard(lock);
    flush_is_coming = false;
  }
  for (const auto& client : all_clients()) send(client);
}

void EventHub::State::tick() {
  for (const auto& client : all_clients()) {
    {
      const std::lock_guard guard(lock);
      if (client->writing || ++client->quiet < kTicks - 1) continue;
      client->greeting = kComment;
    }
    send(client);
  }
  later(limits.heartbeat / kTicks, &State::tick);
}

EventHub::EventHub(After after, std::uint64_t sequence, const Limits& limits)
    : state_(std::make_shared<State>(std::move(after), sequence, limits)) {
  state_->later(limits.heartbeat / kTicks, &State::tick);
}

EventHub::EventHub(After after, std::uint64_t sequence)
    : EventHub(std::move(after), sequence, Limits()) {}

EventHub::~EventHub() {
  for (const auto& client : state_->all_clients()) client->stream->end();
}

void EventHub::publish(std::uint64_t sequence, std::vector<Event> events) {
  state_->publish(sequence, std::move(events));
}

void EventHub::serve(const Request& request, const Reply& reply, Filter filter) {
  if (clients() >= state_->limits.clients) {
    return reply.send(problem_response(
        {.status = 503, .detail = "too many clients listen to events", .retry_after = 5},
        request.id));
  }
  Response head;
  head.headers = {{"Content-Type", "text/event-stream"}, {"X-Accel-Buffering", "no"}};
  const auto client = std::make_shared<Client>();
  client->stream = reply.stream(std::move(head));
  client->filter = std::move(filter);
  state_->add(client, request.header("Last-Event-ID"));
}

std::size_t EventHub::clients() const {
  const std::lock_guard guard(state_->lock);
  return state_->clients.size();
}

}  // namespace headroom::server::net
