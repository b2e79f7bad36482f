#include "server/access/gate.h"

#include <fmt/format.h>

#include <utility>

#include "server/net/problem.h"

namespace headroom::server::access {

namespace {

// Without the port, of which one machine has many.
std::string host_of(const std::string& address) { return address.substr(0, address.rfind(':')); }

net::Response too_often(int seconds, const net::Request& request) {
  return net::problem_response(
      {.status = 429,
       .detail = fmt::format("too many requests; come again in {} s", seconds),
       .retry_after = seconds},
      request.id);
}

}  // namespace

Gate::Gate(Tokens& tokens, GateOptions options)
    : tokens_(tokens),
      options_(std::move(options)),
      limit_(options_.rate, options_.burst),
      refused_(options_.refused_rate, options_.refused_burst) {}

base::Result<Principal> Gate::identify(const net::Request& request, base::Time now) {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view authorization = request.header("Authorization");
  const net::Peer& peer = request.peer;
  Principal principal{.address = peer.address};
  if (!authorization.empty()) {
    if (!authorization.starts_with(kScheme)) {
      return base::fail("Authorization: only 'Bearer hr_ID_SECRET' is known");
    }
    const auto token = tokens_.check(authorization.substr(kScheme.size()), now);
    if (!token) return base::fail(token.error().message);
    principal.user = token->user;
    principal.via = token->id;
    principal.token = token->name;
    principal.scopes = token->scopes;
  } else if (peer.kind == net::Peer::Kind::kSocket && peer.uid) {
    principal.user = peer.user;
    principal.via = "socket";
    principal.admin = *peer.uid == 0 || *peer.uid == options_.own_uid;
  } else {
    return base::fail("no token: send 'Authorization: Bearer hr_ID_SECRET'");
  }
  if (options_.groups_of) principal.groups = options_.groups_of(principal.user);
  return principal;
}

tl::expected<Principal, net::Response> Gate::admit(const net::Request& request, base::Time now,
                                                   std::chrono::steady_clock::time_point clock) {
  auto principal = identify(request, now);
  if (!principal) {
    const int wait = refused_.take(host_of(request.peer.address), clock);
    if (wait > 0) return tl::unexpected(too_often(wait, request));
    return tl::unexpected(
        net::problem_response({.status = 401, .detail = principal.error().message}, request.id));
  }
  if (!principal->admin) {
    if (const int wait = limit_.take(principal->user, clock); wait > 0) {
      net::Response response = too_often(wait, request);
      response.principal = principal->user;
      return tl::unexpected(std::move(response));
    }
  }
  return *std::move(principal);
}

}  // namespace headroom::server::access
