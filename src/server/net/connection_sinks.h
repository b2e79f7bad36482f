// What a handler holds of a connection: where its answer goes, and a stream. Both may be used from
// any thread; what they do happens on the connection's strand.
#pragma once

#include <memory>
#include <utility>

#include "server/net/connection.h"

namespace headroom::server::net {

class Exchange final : public ReplySink {
 public:
  explicit Exchange(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  void send(Response response) override;
  std::shared_ptr<Stream> stream(Response head) override;
  void abandon() override;

 private:
  std::shared_ptr<Connection> connection_;
};

class ConnectionStream final : public Stream {
 public:
  explicit ConnectionStream(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}
  ~ConnectionStream() override { ConnectionStream::end(); }
  void write(std::string data, std::function<void(bool)> done) override;
  void end() override;
  void on_close(std::function<void()> closed) override;

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace headroom::server::net
