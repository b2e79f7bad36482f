// The part of a connection that writes a stream, and what a handler holds of it.
#include <boost/asio/dispatch.hpp>
#include <utility>

#include "base/assert.h"
#include "server/net/connection.h"
#include "server/net/connection_sinks.h"

namespace headroom::server::net {

// Once the loop does not run any more, the task is dropped: its connection is closed.
template <class Task>
void Connection::on_strand(Task task) {
  if (context_->stopped) return;
  boost::asio::dispatch(link_->socket().get_executor(), std::move(task));
}

void Connection::start_stream(Response head) {
  context_->in_flight.fetch_sub(1);
  context_->metrics.in_flight.add(-1);
  if (state_ == State::kClosed) return;
  closing_ = true;
  if (head_only_ || context_->stopping) {
    write_answer(std::move(head));
    return close_stream();
  }
  log_answer(head);
  state_ = State::kStreaming;
  chunked_ = !parser_->is_http_1_0();
  out_head_ = response_head(head, {.request_id = request_id_, .close = true, .chunked = chunked_});
  if (!head.body.empty()) out_head_ += chunked_ ? chunk(head.body) : head.body;
  parser_.reset();  // a stream may last for days: keep little
  buffer_ = {};
  unread_ = {};
  watch_client();
  write_stream("", nullptr);
}

// A read is under way all the time, to learn that the client is gone. What it sends is not used.
void Connection::watch_client() {
  link_->read(watched_.data(), watched_.size(), [self = shared_from_this()](std::size_t count) {
    if (self->state_ != State::kStreaming) return;
    count == 0 ? self->close() : self->watch_client();
  });
}

void Connection::stream_write(Write write) {
  if (stream_closed_ || ending_) {
    if (write.done) write.done(false);
    return;
  }
  HEADROOM_ASSERT(!next_write_);  // one at a time
  if (writing_) {
    next_write_ = std::move(write);
  } else {
    write_stream(std::move(write.data), std::move(write.done));
  }
}

// Writes the head, if it is still to be written, and the data.
void Connection::write_stream(std::string data, std::function<void(bool)> done) {
  writing_ = true;
  out_body_ = chunked_ && !data.empty() ? chunk(data) : std::move(data);
  arm(context_->options.limits.write_time, &Connection::close);
  link_->write(out_head_, out_body_, [self = shared_from_this(), done = std::move(done)](bool ok) {
    self->disarm();
    self->writing_ = false;
    self->out_head_.clear();
    if (!ok) self->close();
    if (done) done(ok && !self->stream_closed_);
    if (self->state_ != State::kStreaming || self->writing_) return;
    if (self->next_write_) {
      const Write next = *std::exchange(self->next_write_, std::nullopt);
      self->write_stream(next.data, next.done);
    } else if (self->ending_) {
      self->finish_stream();
    }
  });
}

void Connection::stream_end() {
  if (stream_closed_ || ending_ || state_ != State::kStreaming) return;
  ending_ = true;
  if (!writing_) finish_stream();
}

void Connection::finish_stream() {
  out_body_ = chunked_ ? kLastChunk : "";
  arm(context_->options.limits.write_time, &Connection::close);
  writing_ = true;
  link_->write(out_body_, "", [self = shared_from_this()](bool ok) {
    self->close_stream();
    ok ? self->finish() : self->close();
  });
}

void Connection::stream_on_close(std::function<void()> closed) {
  if (stream_closed_ || state_ == State::kClosed) return closed();
  on_close_.push_back(std::move(closed));
}

void Connection::close_stream() {
  if (std::exchange(stream_closed_, true)) return;
  if (next_write_ && next_write_->done) next_write_->done(false);
  next_write_.reset();
  for (const auto& closed : std::exchange(on_close_, {})) closed();
}

void Exchange::send(Response response) {
  connection_->on_strand([connection = connection_, response = std::move(response)]() mutable {
    connection->answer(std::move(response));
  });
}

std::shared_ptr<Stream> Exchange::stream(Response head) {
  connection_->on_strand([connection = connection_, head = std::move(head)]() mutable {
    connection->start_stream(std::move(head));
  });
  return std::make_shared<ConnectionStream>(connection_);
}

void Exchange::abandon() {
  connection_->on_strand([connection = connection_] {
    connection->answer(problem_response({500, "the server has no answer; its log says why"},
                                        connection->request_id_));
  });
}

void ConnectionStream::write(std::string data, std::function<void(bool)> done) {
  HEADROOM_ASSERT(!data.empty());
  connection_->on_strand(
      [connection = connection_, data = std::move(data), done = std::move(done)]() mutable {
        connection->stream_write({std::move(data), std::move(done)});
      });
}

void ConnectionStream::end() {
  connection_->on_strand([connection = connection_] { connection->stream_end(); });
}

void ConnectionStream::on_close(std::function<void()> closed) {
  connection_->on_strand([connection = connection_, closed = std::move(closed)]() mutable {
    connection->stream_on_close(std::move(closed));
  });
}

}  // namespace headroom::server::net
