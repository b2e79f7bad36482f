// What is behind the API: made by serve, outlives every call.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "engine/local_log.h"
#include "formats/known.h"
#include "server/access/gate.h"
#include "server/access/roles.h"
#include "server/access/tokens.h"
#include "server/api/readers.h"
#include "server/api/route.h"
#include "server/control_thread.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/net/event_hub.h"
#include "store/reader.h"

namespace headroom::server::api {

struct Services {
  ControlThread& control;
  Readers& readers;
  store::Reader& control_reader;  // for the control thread
  store::Store& store;            // for the control thread: answers to repeated requests
  access::Gate& gate;
  access::Tokens& tokens;
  access::Roles& roles;
  net::EventHub& events;
  engine::LocalLogs logs;
  // Runs a task on a thread of the network after a time.
  std::function<void(std::chrono::milliseconds, std::function<void()>)> after;
  Log& log;
  Metrics& metrics;
  RouteTable routes;
  formats::Known known;                  // GPU products that jobs may name
  std::string folder;                    // of the data
  std::string version;                   // of the program
  std::string cluster;                   // its name
  std::vector<std::string> limitations;  // of the engine
  std::string document;                  // OpenAPI
};

}  // namespace headroom::server::api
