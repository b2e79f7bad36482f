// The bytes of one connection, plain or with TLS, so that connection.cc is written once. All calls
// and callbacks are on the connection's strand; one read and one write may be under way at a time.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <functional>
#include <memory>
#include <string_view>

namespace headroom::server::net {

using Socket = boost::asio::generic::stream_protocol::socket;

class Link {
 public:
  virtual ~Link() = default;
  virtual Socket& socket() = 0;
  virtual void handshake(std::function<void(bool ok)> done) = 0;
  // Of how many bytes came; 0: the end, an error, or cancelled.
  virtual void read(char* to, std::size_t size, std::function<void(std::size_t)> done) = 0;
  // Both texts, one after the other, stay where they are until `done`.
  virtual void write(std::string_view first, std::string_view second,
                     std::function<void(bool ok)> done) = 0;
};

std::unique_ptr<Link> make_link(Socket socket);
std::unique_ptr<Link> make_tls_link(Socket socket, boost::asio::ssl::context& tls);

}  // namespace headroom::server::net
