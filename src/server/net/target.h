// The target of a request: "/api/v1/queues/a%2Fb?user=ana" as segments and a query, decoded. Also
// the absolute form "http://host/path", whose host is ignored.
//
// Refused, each with what is wrong: bytes that a URI may not hold, a wrong %-escape, what is not
// UTF-8, control characters (encoded or not), the segments "." and "..", a query with a name twice.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::server::net {

struct Target {
  std::vector<std::string> path;
  std::map<std::string, std::string> query;
  friend bool operator==(const Target&, const Target&) = default;
};

base::Result<Target> parse_target(std::string_view target);

}  // namespace headroom::server::net
