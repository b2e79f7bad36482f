// Principal: who asks, as far as the server knows.
#pragma once

#include <string>
#include <vector>

namespace headroom::server::access {

struct Principal {
  std::string user;                 // acts as this user
  std::string via;                  // "socket", or the id of a token
  std::string token;                // the token's name; "" over the socket
  std::string address;              // of the client
  std::vector<std::string> groups;  // of the user on this machine
  std::vector<std::string> scopes;  // of the token; empty: all that the user may
  bool admin = false;               // root or the server's own user, over the socket
};

}  // namespace headroom::server::access
