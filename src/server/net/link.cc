#include "server/net/link.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace headroom::server::net {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

template <class Bytes>  // Socket or asio::ssl::stream<Socket>
class LinkOf final : public Link {
 public:
  template <class... Arguments>
  explicit LinkOf(Socket socket, Arguments&... more) : bytes_(std::move(socket), more...) {}

  Socket& socket() override {
    if constexpr (std::is_same_v<Bytes, Socket>) {
      return bytes_;
    } else {
      return bytes_.next_layer();
    }
  }

  void handshake(std::function<void(bool)> done) override {
    if constexpr (std::is_same_v<Bytes, Socket>) {
      done(true);
    } else {
      bytes_.async_handshake(asio::ssl::stream_base::server,
                             [done = std::move(done)](error_code error) { done(!error); });
    }
  }

  void read(char* to, std::size_t size, std::function<void(std::size_t)> done) override {
    bytes_.async_read_some(
        asio::buffer(to, size),
        [done = std::move(done)](error_code error, std::size_t count) { done(error ? 0 : count); });
  }

  void write(std::string_view first, std::string_view second,
             std::function<void(bool)> done) override {
    const std::array<asio::const_buffer, 2> both = {asio::buffer(first.data(), first.size()),
                                                    asio::buffer(second.data(), second.size())};
    asio::async_write(bytes_, both,
                      [done = std::move(done)](error_code error, std::size_t) { done(!error); });
  }

 private:
  Bytes bytes_;
};

}  // namespace

std::unique_ptr<Link> make_link(Socket socket) {
  return std::make_unique<LinkOf<Socket>>(std::move(socket));
}

std::unique_ptr<Link> make_tls_link(Socket socket, asio::ssl::context& tls) {
  return std::make_unique<LinkOf<asio::ssl::stream<Socket>>>(std::move(socket), tls);
}

}  // namespace headroom::server::net
