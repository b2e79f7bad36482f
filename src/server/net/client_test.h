// For tests: a client with nothing between it and its socket, so that it can send anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headroom::server::net {

class TestClient {
 public:
  explicit TestClient(std::uint16_t port);       // of 127.0.0.1
  explicit TestClient(const std::string& path);  // of a UNIX socket
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  bool send(std::string_view bytes);  // false: the server has closed
  void end_sending();
  // One whole response: up to the end of its body by its own framing, or the end of the input.
  // "" when nothing more comes within 10 s.
  std::string response(bool head_only = false);
  std::string read_until(std::string_view mark);  // up to and with it; all there was at the end
  bool at_end();                                  // the server has closed, within 10 s
  std::string ask(std::string_view request);      // send and response

 private:
  bool fill();
  int fd_ = -1;
  std::string unread_;
};

int status_of(std::string_view response);
std::string header_of(std::string_view response, std::string_view name);
std::string body_of(std::string_view response);

}  // namespace headroom::server::net
