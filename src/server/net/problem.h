// What went wrong, as RFC 9457 writes it: application/problem+json with type, title, status, detail
// and, as extensions, `errors` (a message and where in the request), `request_id` and `retryable`.
#pragma once

#include <string>
#include <vector>

#include "server/net/http.h"

namespace headroom::server::net {

struct Problem {
  struct Error {
    std::string where;  // "query limit", "body /tasks", …
    std::string message;
  };
  int status = 400;
  std::string detail;                // one line: what, where, what is allowed
  std::string type = "about:blank";  // or a name for programs: "urn:headroom:quota"
  std::vector<Error> errors;
  int retry_after = 0;  // seconds; 0: no Retry-After
};

Response problem_response(const Problem& problem, const std::string& request_id);

}  // namespace headroom::server::net
