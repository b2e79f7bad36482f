// Gate: from a request to who asks. A token (`Authorization: Bearer hr_…`) counts wherever it comes
// from; without one, over the UNIX socket, the kernel's word does. Root and the server's own user
// are admin there. Whoever asks too often is told when to come again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "base/quantity.h"
#include "server/access/principal.h"
#include "server/access/tokens.h"
#include "server/net/http.h"
#include "server/net/rate_limit.h"

namespace headroom::server::access {

using GroupsOf = std::function<std::vector<std::string>(const std::string& user)>;

struct GateOptions {
  std::uint32_t own_uid = 0;  // of the server
  double rate = 2'000;        // requests a second of a user; not of who is admin by the socket
  double burst = 4'000;
  double refused_rate = 5;  // wrong tokens a second from one address
  double refused_burst = 50;
  GroupsOf groups_of;  // none: nobody is in a group
};

class Gate {
 public:
  Gate(Tokens& tokens, GateOptions options);

  // 401 with a reason, or 429 with Retry-After. Any thread.
  tl::expected<Principal, net::Response> admit(const net::Request& request, base::Time now,
                                               std::chrono::steady_clock::time_point clock);

 private:
  base::Result<Principal> identify(const net::Request& request, base::Time now);

  Tokens& tokens_;
  GateOptions options_;
  net::RateLimit limit_;
  net::RateLimit refused_;
};

// Groups of a user of this machine, remembered for a minute. Any thread.
GroupsOf system_groups();

}  // namespace headroom::server::access
