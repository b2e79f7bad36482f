// Api: from a request to its answer: finds the route, checks the parameters against their schemas,
// asks who it is, and calls the handler. Everything it refuses is a problem+json with one line that
// says what is allowed.
#pragma once

#include "server/api/services.h"
#include "server/net/http.h"

namespace headroom::server::api {

// A handler for HttpServer::start. `services` outlives the server.
net::Handler make_api(Services& services);

// Bytes of body that a route takes: cluster.yaml may be large.
std::optional<std::uint64_t> body_limit(std::string_view method, std::string_view target);

}  // namespace headroom::server::api
