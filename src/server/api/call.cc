#include "server/api/call.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "formats/json.h"
#include "formats/quantity.h"
#include "server/api/services.h"

namespace headroom::server::api {

net::Response json(const formats::Value& document, int status) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}},
          .body = formats::print_json_line(document) + "\n"};
}

net::Problem problem(int status, std::string detail) {
  return {.status = status, .detail = std::move(detail)};
}

net::Problem not_found(const std::string& what) {
  return {.status = 404, .detail = what + ": there is none"};
}

Call::Call(Services& services, const Route& route, net::Request request, net::Reply reply,
           access::Principal who, std::vector<std::string> values)
    : services_(services),
      route_(route),
      request_(std::move(request)),
      reply_(std::move(reply)),
      who_(std::move(who)),
      values_(std::move(values)) {}

std::string Call::query(const std::string& name) const {
  const auto at = request_.query.find(name);
  return at == request_.query.end() ? std::string() : at->second;
}

std::int64_t Call::limit() const {
  const std::string text = query("limit");
  return text.empty() ? 100 : *formats::parse_integer(text, 1, 1000);
}

void Call::answer(const Outcome& outcome) {
  net::Response response = outcome ? *outcome : net::problem_response(outcome.error(), request_.id);
  response.principal = who_.user;
  reply_.send(std::move(response));
}

// A change that is not allowed is in the audit trail, also where nothing was tried.
void Call::refuse(const net::Problem& problem) {
  const Outcome outcome = tl::unexpected(problem);
  if (problem.status != 403 || request_.method == "GET") return answer(outcome);
  services_.control.post([self = shared_from_this(), outcome](Change& change) -> Answer {
    self->audit(change, self->request_.target, outcome);
    return [self, outcome] { self->answer(outcome); };
  });
}

void Call::read(std::function<void(store::Reader&)> question) {
  services_.readers.post([self = shared_from_this(), question = std::move(question)](
                             store::Reader& reader) { question(reader); });
}

void Call::look(std::function<void(const Change&)> question) {
  services_.control.post(
      [self = shared_from_this(), question = std::move(question)](Change& now) -> Answer {
        question(now);
        return {};
      });
}

void Call::change(std::string object, std::function<Outcome(Change&)> work) {
  services_.control.post([self = shared_from_this(), object = std::move(object),
                          work = std::move(work)](Change& change) -> Answer {
    Outcome outcome = self->once(change, work);
    if (!self->is_dry_run()) self->audit(change, object, outcome);
    return [self, outcome = std::move(outcome)] { self->answer(outcome); };
  });
}

// A request with an Idempotency-Key that was answered before gets the same answer, and nothing is
// done; one that is different under the same key is refused.
Outcome Call::once(Change& change, const std::function<Outcome(Change&)>& work) {
  const std::string key(request_.header("Idempotency-Key"));
  if (key.empty() || is_dry_run() || route_.is_secret) return work(change);
  if (key.size() > 255) return tl::unexpected(problem(400, "Idempotency-Key: at most 255 bytes"));
  base::Digest digest;
  digest.add(std::string_view(request_.method));
  digest.add(std::string_view(request_.target));
  digest.add(std::string_view(request_.body));
  const std::string fingerprint = base::to_hex(digest.value());

  const auto repeat = [&](const store::Answer& before) -> Outcome {
    if (before.fingerprint != fingerprint) {
      return tl::unexpected(
          problem(422, "Idempotency-Key: it was used for another request; each needs its own"));
    }
    return net::Response{.status = static_cast<int>(before.status),
                         .headers = {{"Content-Type", "application/json"}},
                         .body = before.body};
  };
  for (const store::Answer& one : change.also().answers) {
    if (one.user == who_.user && one.key == key) return repeat(one);
  }
  const auto before = services_.store.answer(who_.user, key);
  if (!before) return tl::unexpected(problem(500, before.error().message));
  if (*before) return repeat(**before);
  Outcome outcome = work(change);
  if (outcome) {  // what was refused may be tried again
    change.also().answers.push_back({.user = who_.user,
                                     .key = key,
                                     .fingerprint = fingerprint,
                                     .status = outcome->status,
                                     .body = outcome->body,
                                     .time = change.now()});
  }
  return outcome;
}

void Call::audit(Change& change, const std::string& object, const Outcome& outcome) {
  change.also().audit.push_back({.time = change.now(),
                                 .actor = who_.user,
                                 .via = who_.via,
                                 .address = request_.peer.address,
                                 .verb = route_.operation,
                                 .object = object,
                                 .outcome = outcome ? "allowed" : "refused",
                                 .detail = outcome ? std::string() : outcome.error().detail,
                                 .request = request_.id});
}

std::optional<net::Problem> Call::forbidden(access::Action action, const std::string& queue,
                                            const std::string& owner) const {
  const auto ok = access::may(services_.roles, who_, action, queue, owner);
  if (ok) return std::nullopt;
  return problem(403, ok.error().message);
}

}  // namespace headroom::server::api
