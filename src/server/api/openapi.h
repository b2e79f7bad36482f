// The OpenAPI 3.1 document of a table of routes.
#pragma once

#include <string>

#include "formats/value.h"
#include "server/api/route.h"

namespace headroom::server::api {

formats::Value openapi(const RouteTable& table, const std::string& version);

}  // namespace headroom::server::api
