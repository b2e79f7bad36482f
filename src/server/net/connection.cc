#include "server/net/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <exception>
#include <utility>

#include "server/net/connection_sinks.h"
#include "server/net/request_id.h"
#include "server/net/target.h"

namespace headroom::server::net {

namespace {

constexpr std::size_t kReadSize = 4 << 10;
constexpr std::size_t kBodyReadSize = 64 << 10;
constexpr std::size_t kMostLingered = 16 << 20;
constexpr std::size_t kLongestInLog = 256;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

Connection::Connection(std::unique_ptr<Link> link, Peer peer,
                       std::shared_ptr<ConnectionContext> context, std::function<void()> closed)
    : context_(std::move(context)),
      link_(std::move(link)),
      peer_(std::move(peer)),
      closed_(std::move(closed)),
      timer_(link_->socket().get_executor()) {}

void Connection::start() {
  boost::asio::dispatch(link_->socket().get_executor(), [self = shared_from_this()] {
    self->arm(self->context_->options.limits.head_time, &Connection::close);
    self->link_->handshake([self](bool ok) { ok ? self->next_request() : self->close(); });
  });
}

void Connection::stop(bool now) {
  boost::asio::dispatch(link_->socket().get_executor(), [self = shared_from_this(), now] {
    self->closing_ = true;
    const State state = self->state_;
    if (now || state == State::kIdle || state == State::kHandshake) return self->close();
    if (state == State::kStreaming) self->stream_end();
  });
}

void Connection::next_request() {
  if (state_ == State::kClosed) return;
  if (closing_ || context_->stopping) return finish();
  parser_.emplace(context_->options.limits.head);
  request_id_.clear();
  method_.clear();
  path_.clear();
  head_only_ = false;
  keep_alive_ = false;
  slow_ = false;
  if (unread_.empty()) {
    state_ = State::kIdle;
    arm(context_->options.limits.idle_time, &Connection::close);
    return read();
  }
  state_ = State::kReading;
  arm(context_->options.limits.head_time, &Connection::on_slow_request);
  process();
}

void Connection::read() {
  const bool body = parser_->stage() == RequestParser::Stage::kBody;
  buffer_.resize(body ? kBodyReadSize : kReadSize);
  link_->read(buffer_.data(), buffer_.size(),
              [self = shared_from_this()](std::size_t count) { self->on_read(count); });
}

void Connection::on_read(std::size_t count) {
  if (state_ == State::kClosed) return;
  if (count == 0 || slow_) {
    if (state_ == State::kIdle) return close();
    return refuse(slow_ ? Problem{408, "the request did not come in time"}
                        : Problem{400, "the request is incomplete"});
  }
  if (state_ == State::kIdle) {
    state_ = State::kReading;
    arm(context_->options.limits.head_time, &Connection::on_slow_request);
  }
  unread_.append(buffer_, 0, count);
  process();
}

// The read that is under way ends, and on_read tells the client.
void Connection::on_slow_request() {
  slow_ = true;
  boost::system::error_code ignored;
  link_->socket().cancel(ignored);
}

void Connection::process() {
  using Stage = RequestParser::Stage;
  unread_.erase(0, parser_->feed(unread_));
  if (parser_->stage() == Stage::kBody && method_.empty()) {
    if (!accept_head()) return refuse(parser_->problem());
    unread_.erase(0, parser_->feed(unread_));
  }
  switch (parser_->stage()) {
    case Stage::kFailed:
      return refuse(parser_->problem());
    case Stage::kDone:
      return dispatch();
    case Stage::kHead:
      return read();
    case Stage::kBody:
      break;
  }
  if (!parser_->expects_continue() || !unread_.empty() || sent_continue_) return read();
  sent_continue_ = true;
  link_->write(kContinue, "",
               [self = shared_from_this()](bool ok) { ok ? self->read() : self->close(); });
}

// Takes over the head and the limits of the body; false: the parser has failed.
bool Connection::accept_head() {
  method_ = parser_->method();
  const std::string target = parser_->target();
  path_ = target.substr(0, std::min(target.find('?'), kLongestInLog));
  head_only_ = method_ == "HEAD";
  keep_alive_ = parser_->keep_alive() && !parser_->is_http_1_0();
  sent_continue_ = false;
  const ServerOptions& options = context_->options;
  std::optional<std::uint64_t> limit;
  if (options.body_limit) limit = options.body_limit(method_, target);
  parser_->set_body_limit(limit.value_or(options.limits.body));
  arm(options.limits.body_time, &Connection::on_slow_request);
  return parser_->stage() != RequestParser::Stage::kFailed;
}

void Connection::dispatch() {
  disarm();
  since_ = Clock::now();
  state_ = State::kHandling;
  request_id_ = request_id(parser_->header("X-Request-Id"));
  Request request;
  request.id = request_id_;
  request.method = head_only_ ? "GET" : method_;
  request.target = parser_->target();
  if (request.target == "*" && method_ == "OPTIONS") {
    return write_answer({.status = 204, .headers = {{"Allow", "GET, HEAD, OPTIONS"}}});
  }
  auto target = parse_target(request.target);
  if (!target) {
    return write_answer(problem_response({400, "target: " + target.error().message}, request_id_));
  }
  if (context_->in_flight.fetch_add(1) >= context_->options.limits.in_flight) {
    context_->in_flight.fetch_sub(1);
    return write_answer(problem_response(
        {.status = 503, .detail = "too many requests at a time", .retry_after = 1}, request_id_));
  }
  context_->metrics.in_flight.add(1);
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  request.headers = parser_->headers();
  request.body = parser_->take_body();
  request.peer = peer_;
  const Reply reply(std::make_unique<Exchange>(shared_from_this()));
  try {
    context_->handler(std::move(request), reply);
  } catch (const std::exception& error) {
    // The handler's mistake. The Reply is dropped here, which answers 500.
    context_->log.write(Log::Level::kError, "handler failed",
                        {{"id", request_id_}, {"error", error.what()}});
  }
}

// The handler's answer.
void Connection::answer(Response response) {
  context_->in_flight.fetch_sub(1);
  context_->metrics.in_flight.add(-1);
  write_answer(std::move(response));
}

// The connection's own answer to what is no request; nothing after it can be understood.
void Connection::refuse(const Problem& problem) {
  disarm();
  closing_ = true;
  refused_ = true;
  since_ = Clock::now();
  if (request_id_.empty()) request_id_ = request_id("");
  write_answer(problem_response(problem, request_id_));
}

void Connection::write_answer(Response response) {
  if (state_ == State::kClosed) return;
  log_answer(response);
  state_ = State::kAnswering;
  const bool close = closing_ || !keep_alive_ || context_->stopping;
  HeadOptions options{.request_id = request_id_, .close = close};
  if (has_body(response.status)) options.length = response.body.size();
  out_head_ = response_head(response, options);
  out_body_ = head_only_ || !has_body(response.status) ? "" : std::move(response.body);
  arm(context_->options.limits.write_time, &Connection::close);
  link_->write(out_head_, out_body_, [self = shared_from_this(), close](bool ok) {
    if (!ok) return self->close();
    close ? self->finish() : self->next_request();
  });
}

void Connection::log_answer(const Response& response) {
  const std::chrono::duration<double> took = Clock::now() - since_;
  context_->metrics.answered(method_, response.status, took.count());
  if (!context_->log.shows(Log::Level::kInfo)) return;
  context_->log.write(Log::Level::kInfo, "request",
                      {{"id", request_id_},
                       {"method", method_.empty() ? "-" : method_},
                       {"path", path_.empty() ? "-" : path_},
                       {"status", std::to_string(response.status)},
                       {"ms", fmt::format("{:.3f}", took.count() * 1000)},
                       {"principal", response.principal.empty() ? "-" : response.principal},
                       {"from", peer_.address}});
}

// Ends after the last answer. To close while bytes of a refused client are on their way would reset
// the connection, and it might lose the answer: so it is heard out for a while.
void Connection::finish() {
  if (state_ == State::kClosed) return;
  if (!refused_) return close();
  state_ = State::kLingering;
  boost::system::error_code error;
  link_->socket().shutdown(Socket::shutdown_send, error);
  if (error) return close();
  arm(context_->options.limits.linger_time, &Connection::close);
  buffer_.resize(kBodyReadSize);
  linger();
}

void Connection::linger() {
  link_->socket().async_read_some(
      boost::asio::buffer(buffer_),
      [self = shared_from_this()](boost::system::error_code error, std::size_t count) {
        if (self->state_ == State::kClosed) return;
        self->lingered_ += count;
        if (error || self->lingered_ > kMostLingered) return self->close();
        self->linger();
      });
}

void Connection::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  disarm();
  boost::system::error_code ignored;
  link_->socket().close(ignored);
  close_stream();
  closed_();
}

void Connection::arm(std::chrono::milliseconds time, void (Connection::*on_time)()) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this(), number = ++timer_number_,
                     on_time](boost::system::error_code error) {
    if (!error && number == self->timer_number_) (self.get()->*on_time)();
  });
}

void Connection::disarm() {
  ++timer_number_;
  timer_.cancel();
}

}  // namespace headroom::server::net
