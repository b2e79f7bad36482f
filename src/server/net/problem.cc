#include "server/net/problem.h"

#include <nlohmann/json.hpp>

namespace headroom::server::net {

namespace {

// The same request may succeed later.
bool is_retryable(int status) { return status == 408 || status == 429 || status == 503; }

}  // namespace

Response problem_response(const Problem& problem, const std::string& request_id) {
  nlohmann::ordered_json document = {
      {"type", problem.type},     {"title", reason_phrase(problem.status)},
      {"status", problem.status}, {"detail", problem.detail},
      {"request_id", request_id}, {"retryable", is_retryable(problem.status)}};
  for (const Problem::Error& error : problem.errors) {
    document["errors"].push_back({{"where", error.where}, {"message", error.message}});
  }
  Response response;
  response.status = problem.status;
  response.headers = {{"Content-Type", "application/problem+json"}};
  if (problem.retry_after > 0) {
    response.headers.emplace_back("Retry-After", std::to_string(problem.retry_after));
  }
  if (problem.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  // What is not UTF-8 in a detail (it may quote the request) is shown as U+FFFD.
  response.body =
      document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return response;
}

}  // namespace headroom::server::net
