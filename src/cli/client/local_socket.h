// Where a server on this machine listens when nobody says otherwise.
#pragma once

#include <string>

namespace headroom::cli {

// For `serve`: /run/headroom/headroom.sock as root, else $XDG_RUNTIME_DIR/headroom/headroom.sock,
// else /tmp/headroom-UID/headroom.sock.
std::string own_socket();

// For a client: the own one if it is there, else root's if that is there, else the own one.
std::string default_socket();

}  // namespace headroom::cli
