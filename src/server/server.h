// Server: everything of the live system put together: store, engine, controller, API, network. One
// process on one machine (docs/server.md).
//
//   auto server = Server::start(options, log);   // listens when it returns
//   (*server)->wait(…);                          // until told to stop, or it has failed
//   (*server)->stop();                           // jobs go on
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/controller.h"
#include "server/log.h"
#include "server/net/http_server.h"

namespace headroom::server {

struct ServeOptions {
  std::string folder;            // of the data
  std::string cluster_yaml;      // its text, for a new store; "": the store has one
  std::string cluster_name;      // of the file, for messages
  std::vector<std::string> hub;  // command that runs the engine's helper (engine/local_engine.h)
  std::string version;
  net::ServerOptions net;
  ControllerOptions controller;
};

// What a new store would begin with, as Server::summary says it. Errors: of the cluster.yaml.
base::Result<std::string> check_cluster(const ServeOptions& options);

class Server {
 public:
  static base::Result<std::unique_ptr<Server>> start(ServeOptions options, Log& log);
  ~Server();

  // What a new store began with: the token of its admin, to be shown once; else "".
  const std::string& first_token() const;
  std::uint16_t port() const;   // of TCP; 0: none
  std::string summary() const;  // "cluster lab: 4 nodes, 16 GPUs, 3 queues"
  const std::vector<std::string>& limitations() const;

  bool has_failed() const;  // it must end: what it says is not durable any more

  // Finishes what is in flight, makes a snapshot and closes. Jobs go on.
  base::Result<void> stop();

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace headroom::server
