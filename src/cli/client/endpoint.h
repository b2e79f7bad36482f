// Which server a verb talks to, and with which token:
//
//   server   --server, else HEADROOM_SERVER, else the context of ~/.config/headroom/config.yaml,
//            else the socket of a server on this machine
//   token    --token-file, else HEADROOM_TOKEN, else the context's, if the server is the context's
//
// A server is "https://host:port", "http://host:port", or the path of a UNIX socket
// ("/run/headroom/headroom.sock", "unix:PATH").
#pragma once

#include <string>

#include "base/result.h"
#include "cli/client/http.h"

namespace headroom::cli {

struct ServerFlags {
  std::string server;
  std::string token_file;
  std::string ca;
};

// What the environment says; "" for what is not set.
struct ServerEnvironment {
  std::string server;       // HEADROOM_SERVER
  std::string token;        // HEADROOM_TOKEN
  std::string config_file;  // where config.yaml would be
  std::string socket;       // of a server on this machine
};
ServerEnvironment server_environment();

// Errors name the flag, the variable or the line of the file. A token is never sent over a
// connection that others can read: http:// with a token is for this machine only.
base::Result<Endpoint> find_endpoint(const ServerFlags& flags, const ServerEnvironment& around);

}  // namespace headroom::cli
