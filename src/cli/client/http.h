// Http: one connection to a server, over TCP, TLS or a UNIX socket. It knows nothing of jobs.
//
// libcurl does it. Its library is loaded at the first call and not with the program: the thirty
// libraries behind it take longer to load than most verbs need.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace headroom::cli {

// Where a server is and who asks.
struct Endpoint {
  std::string url;     // "https://host:8443", "http://localhost"
  std::string socket;  // path of a UNIX socket; empty: TCP
  std::string ca;      // certificates to trust instead of the system's; empty: the system's
  std::string token;   // never printed
  std::string shown;   // the server as messages name it
};

struct HttpRequest {
  std::string method = "GET";
  std::string path;  // with its query, encoded
  std::string body;
  std::vector<std::string> headers;  // "Name: value"
  // Where the body of a good answer goes; false ends the transfer. Empty: into the answer.
  std::function<bool(std::string_view)> on_bytes = {};
  long seconds = 30;  // for all of it; 0: no limit
};

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  bool stopped = false;                                      // by on_bytes, or by Ctrl-C

  std::string_view header(std::string_view name) const;  // "" when it is not there
};

class Http {
 public:
  explicit Http(Endpoint endpoint);
  Http(Http&&) noexcept;
  ~Http();

  // An error: nothing was answered. It says what the system or the TLS library said.
  base::Result<HttpAnswer> perform(const HttpRequest& request);

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  struct Handle;
  Endpoint endpoint_;
  std::unique_ptr<Handle> handle_;
};

// What may stand in a path or a query: everything but letters, digits and -._~ as %XX.
std::string url_encoded(std::string_view text);

}  // namespace headroom::cli
