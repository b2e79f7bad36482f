#include "server/net/problem.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace headroom::server::net {

namespace {

// The same request may succeed later.
bool is_retryable(int status) { return status == 408 || status == 429 || status == 503; }

// It may quote the request: nothing of that may steer whoever reads it.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return line;
}

}  // namespace

Response problem_response(const Problem& problem, const std::string& request_id) {
  nlohmann::ordered_json document = {
      {"type", problem.type},     {"title", reason_phrase(problem.status)},
      {"status", problem.status}, {"detail", one_line(problem.detail)},
      {"request_id", request_id}, {"retryable", is_retryable(problem.status)}};
  for (const Problem::Error& error : problem.errors) {
    document["errors"].push_back({{"where", error.where}, {"message", one_line(error.message)}});
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
