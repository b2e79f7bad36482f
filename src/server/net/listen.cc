#include "server/net/listen.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace headroom::server::net {

namespace {

constexpr int kBacklog = 1024;

// An IPv4 or IPv6 address with its port, as the system's calls want it.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  sockaddr_in& v4() { return reinterpret_cast<sockaddr_in&>(storage); }
  sockaddr_in6& v6() { return reinterpret_cast<sockaddr_in6&>(storage); }
};

bool parse(const std::string& text, Address& address) {
  if (inet_pton(AF_INET, text.c_str(), &address.v4().sin_addr) == 1) {
    address.storage.ss_family = AF_INET;
    address.size = sizeof(sockaddr_in);
    return true;
  }
  if (inet_pton(AF_INET6, text.c_str(), &address.v6().sin6_addr) == 1) {
    address.storage.ss_family = AF_INET6;
    address.size = sizeof(sockaddr_in6);
    return true;
  }
  return false;
}

std::uint16_t port_of(Address& address) {
  return ntohs(address.storage.ss_family == AF_INET ? address.v4().sin_port
                                                    : address.v6().sin6_port);
}

std::string print(Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &address.v4().sin_addr, text, sizeof text);
    return fmt::format("{}:{}", text, port_of(address));
  }
  inet_ntop(AF_INET6, &address.v6().sin6_addr, text, sizeof text);
  return fmt::format("[{}]:{}", text, port_of(address));
}

tl::unexpected<base::Error> fail(int socket, const std::string& what) {
  const std::string why = std::strerror(errno);
  if (socket >= 0) close(socket);
  return base::fail(fmt::format("{}: {}", what, why));
}

bool answers(const sockaddr_un& address) {
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const bool connected =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return connected;
}

}  // namespace

bool is_loopback(const std::string& address) {
  Address parsed;
  if (!parse(address, parsed)) return false;
  if (parsed.storage.ss_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&parsed.v6().sin6_addr) != 0;
  }
  return ntohl(parsed.v4().sin_addr.s_addr) >> 24 == 127;
}

base::Result<int> listen_tcp(const std::string& address, std::uint16_t& port) {
  Address bound;
  if (!parse(address, bound)) {
    return base::fail(fmt::format("listen: '{}' is not an IPv4 or IPv6 address", address));
  }
  if (bound.storage.ss_family == AF_INET) {
    bound.v4().sin_port = htons(port);
  } else {
    bound.v6().sin6_port = htons(port);
  }
  const std::string place = fmt::format("listen {}", print(bound));
  const int fd =
      socket(bound.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  const int on = 1;
  if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(fd, bound.get(), bound.size) != 0 || listen(fd, kBacklog) != 0 ||
      getsockname(fd, bound.get(), &bound.size) != 0) {
    return fail(fd, place);
  }
  port = port_of(bound);
  return fd;
}

base::Result<int> listen_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return base::fail(fmt::format("listen {}: the path of a socket has at most {} bytes", path,
                                  sizeof address.sun_path - 1));
  }
  path.copy(address.sun_path, path.size());
  struct stat found{};
  if (lstat(path.c_str(), &found) == 0) {
    if (!S_ISSOCK(found.st_mode)) {
      return base::fail(fmt::format("listen {}: a file that is no socket is there", path));
    }
    if (answers(address)) {
      return base::fail(fmt::format("listen {}: another server answers there", path));
    }
    unlink(path.c_str());
  }
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0666) != 0 || listen(fd, kBacklog) != 0) {
    return fail(fd, fmt::format("listen {}", path));
  }
  return fd;
}

Peer tcp_peer(int socket, bool tls) {
  const int on = 1;  // an answer is written at once; to wait for more would only delay it
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  Address address;
  address.size = sizeof address.storage;
  Peer peer{.kind = tls ? Peer::Kind::kTls : Peer::Kind::kTcp};
  if (getpeername(socket, address.get(), &address.size) == 0) peer.address = print(address);
  return peer;
}

Peer socket_peer(int socket) {
  Peer peer{.kind = Peer::Kind::kSocket, .address = "socket"};
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
    peer.uid = credentials.uid;
    peer.user = user_name(credentials.uid);
  }
  return peer;
}

std::string user_name(std::uint32_t uid) {
  std::vector<char> buffer(16 << 10);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return std::to_string(uid);
  }
  return found->pw_name;
}

}  // namespace headroom::server::net
