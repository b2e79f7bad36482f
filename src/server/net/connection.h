// One client's connection: reads a request, hands it to the handler, writes the answer, again.
//
// All that happens to a connection happens on its strand, one thing at a time. While an answer is
// awaited nothing is read, so TCP holds back a client that sends requests ahead. Memory: what was
// read and not used yet (at most the limits of head and body), the answer, one write of a stream.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/log.h"
#include "server/net/http_metrics.h"
#include "server/net/http_server.h"
#include "server/net/link.h"
#include "server/net/request_parser.h"
#include "server/net/response_writer.h"

namespace headroom::server::net {

// What all connections share. It owns the event loop, because a handler may hold on to a Reply for
// longer than the server lives.
struct ConnectionContext {
  ConnectionContext(ServerOptions with, Handler to, Log& lines, Metrics& counts)
      : options(std::move(with)), handler(std::move(to)), log(lines), metrics(counts) {}
  boost::asio::io_context io;
  ServerOptions options;
  Handler handler;
  Log& log;
  HttpMetrics metrics;
  std::atomic<std::size_t> in_flight{0};
  std::atomic<bool> stopping{false};
  std::atomic<bool> stopped{false};  // the loop does not run any more
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // The socket's executor is a strand. `closed` is called once, when the connection is over.
  Connection(std::unique_ptr<Link> link, Peer peer, std::shared_ptr<ConnectionContext> context,
             std::function<void()> closed);

  // Any thread.
  void start();
  void stop(bool now);  // now, or when the request in flight is answered; a stream ends at once

 private:
  friend class Exchange;
  friend class ConnectionStream;
  using Clock = std::chrono::steady_clock;
  enum class State : std::uint8_t {
    kHandshake,
    kIdle,       // between requests
    kReading,    // a request has begun
    kHandling,   // the handler has it
    kAnswering,  // the answer is written
    kStreaming,
    kLingering,  // the last answer is written; the client is heard out
    kClosed
  };
  struct Write {
    std::string data;
    std::function<void(bool)> done;
  };

  // connection.cc
  void next_request();
  void read();
  void on_read(std::size_t count);
  void process();
  bool accept_head();
  void dispatch();
  void answer(Response response);
  void refuse(const Problem& problem);
  void write_answer(Response response);
  void log_answer(const Response& response);
  void finish();
  void linger();
  void close();
  void arm(std::chrono::milliseconds time, void (Connection::*on_time)());
  void disarm();
  void on_slow_request();
  // connection_stream.cc; the sinks of connection_sinks.h call them
  template <class Task>
  void on_strand(Task task);
  void start_stream(Response head);
  void watch_client();
  void stream_write(Write write);
  void stream_end();
  void finish_stream();
  void stream_on_close(std::function<void()> closed);
  void write_stream(std::string data, std::function<void(bool)> done);
  void close_stream();

  std::shared_ptr<ConnectionContext> context_;  // first, because it owns the loop of the others
  std::unique_ptr<Link> link_;
  Peer peer_;
  std::function<void()> closed_;
  boost::asio::steady_timer timer_;
  std::uint64_t timer_number_ = 0;  // of the wait that counts

  State state_ = State::kHandshake;
  bool slow_ = false;     // the time for the request is over
  bool closing_ = false;  // no request after this one
  bool refused_ = false;  // more of it may be on its way
  std::string buffer_;    // read into
  std::string unread_;
  std::array<char, 64> watched_{};  // read into while a stream is written
  std::size_t lingered_ = 0;        // bytes

  // The request.
  std::optional<RequestParser> parser_;
  std::string request_id_;
  std::string method_;  // "" before the head is known
  std::string path_;
  bool head_only_ = false;
  bool keep_alive_ = false;
  bool sent_continue_ = false;
  Clock::time_point since_;

  // The answer.
  std::string out_head_;
  std::string out_body_;
  bool chunked_ = false;
  bool writing_ = false;  // a write of the stream is under way
  bool ending_ = false;
  bool stream_closed_ = false;
  std::optional<Write> next_write_;
  std::vector<std::function<void()>> on_close_;
};

}  // namespace headroom::server::net
