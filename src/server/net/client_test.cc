#include "server/net/client_test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace headroom::server::net {

namespace {

constexpr int kPatienceSeconds = 10;

int connected(int family, const sockaddr* address, socklen_t size) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{kPatienceSeconds, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(fd, address, size) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

}  // namespace

TestClient::TestClient(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  fd_ = connected(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

TestClient::TestClient(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  fd_ = connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

TestClient::~TestClient() {
  if (fd_ >= 0) close(fd_);
}

bool TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void TestClient::end_sending() { shutdown(fd_, SHUT_WR); }

bool TestClient::fill() {
  char buffer[64 << 10];
  const ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
  if (got <= 0) return false;
  unread_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

std::string TestClient::read_until(std::string_view mark) {
  std::size_t at = 0;  // no need to look at what was there before once more
  for (std::size_t from = 0; (at = unread_.find(mark, from)) == std::string::npos;) {
    from = unread_.size() < mark.size() ? 0 : unread_.size() - mark.size() + 1;
    if (!fill()) return std::exchange(unread_, {});
  }
  const std::size_t end = at + mark.size();
  std::string text = unread_.substr(0, end);
  unread_.erase(0, end);
  return text;
}

std::string TestClient::response(bool head_only) {
  std::string head = read_until("\r\n\r\n");
  if (head_only) return head;
  if (header_of(head, "Transfer-Encoding") == "chunked") return head + read_until("0\r\n\r\n");
  const std::string length = header_of(head, "Content-Length");
  const std::size_t size = length.empty() ? 0 : std::strtoul(length.c_str(), nullptr, 10);
  while (unread_.size() < size && fill()) {
  }
  const std::string body = unread_.substr(0, size);
  unread_.erase(0, body.size());
  return head + body;
}

bool TestClient::at_end() {
  char byte = 0;
  errno = 0;
  const ssize_t got = recv(fd_, &byte, 1, 0);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

std::string TestClient::ask(std::string_view request) { return send(request) ? response() : ""; }

int status_of(std::string_view response) {
  return response.starts_with("HTTP/1.1 ") ? std::atoi(std::string(response.substr(9, 3)).c_str())
                                           : 0;
}

std::string header_of(std::string_view response, std::string_view name) {
  const std::string mark = "\r\n" + std::string(name) + ": ";
  const std::size_t at = response.substr(0, response.find("\r\n\r\n") + 2).find(mark);
  if (at == std::string_view::npos) return "";
  const std::size_t start = at + mark.size();
  return std::string(response.substr(start, response.find("\r\n", start) - start));
}

std::string body_of(std::string_view response) {
  const std::size_t end = response.find("\r\n\r\n");
  return end == std::string_view::npos ? "" : std::string(response.substr(end + 4));
}

}  // namespace headroom::server::net
