// HTTP as the rest of the server sees it: plain values, no sockets. A handler gets a Request and a
// Reply; it returns at once and answers when it can, from any thread, once:
//
//   server.start(options, [](Request request, Reply reply) {
//     reply.send({.status = 200, .body = "hello\n"});
//   });
//
// A Reply that is dropped without an answer answers 500, so that no client waits for ever.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headroom::server::net {

// Who is at the other end.
struct Peer {
  enum class Kind : std::uint8_t { kTcp, kTls, kSocket };
  Kind kind = Kind::kTcp;
  std::string address;               // "127.0.0.1:40112", "socket"
  std::optional<std::uint32_t> uid;  // kSocket: of the process that connected, from the kernel
  std::string user;                  // kSocket: its name; the number where it has none
};

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string id;                 // of the client if it sent a well-formed X-Request-Id, else made
  std::string method;             // "GET" also for HEAD, whose answer loses its body on the way
  std::string target;             // as it was sent
  std::vector<std::string> path;  // segments, decoded: "/queues/a%2Fb" is {"queues", "a/b"}
  std::map<std::string, std::string> query;  // decoded, each name once
  Headers headers;                           // names as they were sent
  std::string body;
  Peer peer;

  // The value of a header whatever the case of its name; the first of several, "" of none.
  std::string_view header(std::string_view name) const;
};

struct Response {
  int status = 200;
  Headers headers;  // without Content-Length, Date and X-Request-Id, which are added
  std::string body;
  std::string principal;  // who it was, for the request log; not sent
};

// An answer whose body is written bit by bit. Calls from any thread; the callbacks come from a
// thread of the server and must not block.
class Stream {
 public:
  virtual ~Stream() = default;

  // `done(true)`: the kernel has taken it, write on. `done(false)`: the client is gone or the
  // server stops. One write at a time: back-pressure is that `done` comes late.
  virtual void write(std::string data, std::function<void(bool alive)> done) = 0;

  // The last chunk, after a write that is still under way. Then the connection closes.
  virtual void end() = 0;

  // Called once when the client is gone, the server stops or the stream has ended; at once if that
  // was before.
  virtual void on_close(std::function<void()> closed) = 0;
};

// Where the answer to one request goes.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  virtual void send(Response response) = 0;
  virtual std::shared_ptr<Stream> stream(Response head) = 0;
  virtual void abandon() = 0;  // there will be no answer: 500
};

// Copies stand for the same answer. The first send() or stream() counts; a second is a mistake of
// the program and asserts.
class Reply {
 public:
  explicit Reply(std::unique_ptr<ReplySink> sink);
  // For tests: hands the answer to a function. It cannot stream.
  explicit Reply(std::function<void(Response)> take);

  void send(Response response) const;

  // Sends the status and the headers of `head` (its body is the first chunk); the rest follows by
  // the stream. To a HEAD request and to a client that is gone the stream is closed from the start.
  std::shared_ptr<Stream> stream(Response head) const;

 private:
  struct Once;
  std::shared_ptr<Once> once_;
};

using Handler = std::function<void(Request, Reply)>;

// "Not Found" for 404; "" for a status that HTTP does not name.
std::string_view reason_phrase(int status);

}  // namespace headroom::server::net
