// Sockets to listen on, opened with the system's own calls; and who connected.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "server/net/http.h"

namespace headroom::server::net {

// Whether only this machine reaches the address: 127.0.0.0/8 or ::1.
bool is_loopback(const std::string& address);

// A listening, non-blocking socket. `port` 0 becomes the one that was taken.
base::Result<int> listen_tcp(const std::string& address, std::uint16_t& port);

// A file that another server has left behind is replaced; one on which a server answers is not.
// Anyone may connect: the kernel says who it is.
base::Result<int> listen_socket(const std::string& path);

Peer tcp_peer(int socket, bool tls);
Peer socket_peer(int socket);  // credentials at the time of connect()

// The name of a user of this machine; its number where it has none.
std::string user_name(std::uint32_t uid);

}  // namespace headroom::server::net
