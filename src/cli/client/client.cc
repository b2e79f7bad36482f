#include "cli/client/client.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cstdint>
#include <cstdio>
#include <future>
#include <iterator>

#include "cli/text.h"

namespace headroom::cli {

namespace {

constexpr const char* kApi = "/api/v1";
constexpr std::size_t kPage = 1000;  // the most that a server gives at a time

std::string query_text(const Query& query) {
  std::string text;
  for (const auto& [key, value] : query) {
    if (value.empty()) continue;
    text += (text.empty() ? "?" : "&") + key + "=" + url_encoded(value);
  }
  return text;
}

std::string new_key() {
  std::uint64_t random[2] = {};
  if (getrandom(random, sizeof random, 0) != sizeof random) return "";
  return fmt::format("{:016x}{:016x}", random[0], random[1]);
}

Reply<Json> parse(const HttpAnswer& answer, const std::string& shown) {
  if (answer.body.empty()) return Json();
  Json document = Json::parse(answer.body, nullptr, false);
  if (!document.is_discarded()) return document;
  return tl::unexpected(Failure{
      kFailed, fmt::format("{}: the answer is not JSON; is this a Headroom server?", shown)});
}

// What a page says of the next one, read from behind its items; "" where that cannot be seen.
std::string next_page(const std::string& body) {
  const std::size_t comma = body.find(',', std::min(body.rfind(']'), body.size()));
  if (comma == std::string::npos) return "";
  return text_of(Json::parse("{" + body.substr(comma + 1), nullptr, false), "continue");
}

int exit_code_of(int status, const std::string& type) {
  if (type.ends_with(":quota") || type.ends_with(":admission")) return kRefused;
  switch (status) {
    case 401:
    case 403:
      return kForbidden;
    case 404:
      return kNotFound;
    case 409:
    case 412:
      return kConflict;
    case 429:
      return kRefused;
    case 502:
    case 503:
    case 504:
      return kUnreachable;
    default:
      return status >= 500 ? kFailed : kUsage;
  }
}

// The single errors, a line each. Where the detail only sums them up, they take its place.
void add_errors(Failure& failure, const Json& problem) {
  const Json* const errors =
      problem.is_object() && problem.contains("errors") ? &problem["errors"] : nullptr;
  if (errors == nullptr || !errors->is_array() || errors->empty()) return;
  std::string lines;
  for (const Json& error : *errors) {
    const std::string where = text_of(error, "where");
    const bool is_told = where.empty() || where == "body";
    lines +=
        (lines.empty() ? "" : "\n") + (is_told ? "" : where + ": ") + text_of(error, "message");
  }
  const std::string first = text_of((*errors)[0], "message");
  const bool sums_up = !first.empty() && failure.message.starts_with(first);
  failure.message = sums_up ? lines : failure.message + "\n" + lines;
}

}  // namespace

int fail_with(const Failure& failure) {
  // Several problems of a file are several lines.
  std::string text;
  for (std::size_t at = 0; at <= failure.message.size();) {
    const std::size_t end = std::min(failure.message.find('\n', at), failure.message.size());
    text += (at == 0 ? "" : "\n") + printable(failure.message.substr(at, end - at));
    at = end + 1;
  }
  fmt::print(stderr, "headroom: {}\n", text);
  return failure.exit_code;
}

std::vector<Flag> server_flags(ServerFlags& flags) {
  return {{"--server", "URL", "https://HOST:PORT or a socket; default: see headroom whoami --help",
           &flags.server},
          {"--token-file", "FILE", "file with the token", &flags.token_file},
          {"--ca", "FILE", "certificates to trust instead of the system's", &flags.ca}};
}

std::string text_of(const Json& document, std::string_view key) {
  if (!document.is_object()) return "";
  const auto found = document.find(key);
  return found != document.end() && found->is_string() ? found->get<std::string>() : "";
}

Failure failure_of(int status, const std::string& body, const std::string& shown) {
  const Json problem = Json::parse(body, nullptr, false);
  Failure failure{exit_code_of(status, text_of(problem, "type")), text_of(problem, "detail")};
  if (failure.message.empty()) failure.message = text_of(problem, "title");
  if (failure.message.empty()) {
    failure.message = fmt::format("{}: the answer is status {}", shown, status);
  }
  add_errors(failure, problem);
  if (status == 401) failure.message += "; is HEADROOM_TOKEN or --token-file right?";
  return failure;
}

Reply<Client> Client::connect(const ServerFlags& flags) {
  auto endpoint = find_endpoint(flags, server_environment());
  if (!endpoint) return tl::unexpected(Failure{kUsage, endpoint.error().message});
  return Client(std::move(*endpoint));
}

Reply<HttpAnswer> Client::perform(HttpRequest request) {
  request.path = kApi + request.path;
  const bool can_repeat = request.method == "GET" || request.method == "POST";
  if (request.method == "POST") request.headers.push_back("Idempotency-Key: " + new_key());
  base::Result<HttpAnswer> answer = http_.perform(request);
  if (!answer && can_repeat && !request.on_bytes) answer = http_.perform(request);
  const std::string& shown = http_.endpoint().shown;
  if (!answer) {
    return tl::unexpected(
        Failure{kUnreachable, fmt::format("{}: no answer: {}; does the server run (headroom "
                                          "serve), and is --server right?",
                                          shown, answer.error().message)});
  }
  if (answer->stopped) return std::move(*answer);
  if (answer->status >= 200 && answer->status < 300) return std::move(*answer);
  return tl::unexpected(failure_of(answer->status, answer->body, shown));
}

Reply<Json> Client::get(const std::string& path, const Query& query) {
  const auto answer = perform({.path = path + query_text(query)});
  if (!answer) return tl::unexpected(answer.error());
  return parse(*answer, endpoint().shown);
}

Reply<std::string> Client::get_text(const std::string& path, const Query& query) {
  auto answer = perform({.path = path + query_text(query)});
  if (!answer) return tl::unexpected(answer.error());
  return std::move(answer->body);
}

Reply<Json> Client::send(const std::string& method, const std::string& path, const Query& query,
                         const std::string& body, const std::string& content_type) {
  HttpRequest request{.method = method, .path = path + query_text(query), .body = body};
  if (!body.empty()) request.headers.push_back("Content-Type: " + content_type);
  const auto answer = perform(std::move(request));
  if (!answer) return tl::unexpected(answer.error());
  return parse(*answer, endpoint().shown);
}

Reply<Listing> Client::read_list(const HttpAnswer& answer) const {
  Reply<Json> document = parse(answer, endpoint().shown);
  if (!document) return tl::unexpected(document.error());
  if (!document->is_object() || !document->contains("items") || !(*document)["items"].is_array()) {
    return tl::unexpected(Failure{kFailed, endpoint().shown + ": the answer has no list of items"});
  }
  Listing listing;
  listing.items = std::move((*document)["items"].get_ref<Json::array_t&>());
  document->erase("items");
  listing.rest = std::move(*document);
  return listing;
}

Reply<Listing> Client::list(const std::string& path, const Query& query) {
  const auto answer = perform({.path = path + query_text(query)});
  return answer ? read_list(*answer) : tl::unexpected(answer.error());
}

Reply<Listing> Client::pages(const std::string& path, const Query& query, std::size_t most) {
  const auto ask = [this, path, query, most](std::size_t before, const std::string& next) {
    Query page = query;
    const std::size_t left = most == 0 ? kPage : std::min(kPage, most - before);
    page.emplace_back("limit", std::to_string(left));
    page.emplace_back("continue", next);
    return perform({.path = path + query_text(page)});
  };
  Listing all;
  Reply<HttpAnswer> answer = ask(0, "");
  while (answer) {
    // The server works on the next page while this one is read.
    const std::string next = next_page(answer->body);
    const bool goes_on = !next.empty() && most == 0;
    std::future<Reply<HttpAnswer>> coming;
    if (goes_on) coming = std::async(std::launch::async, ask, 0, next);
    Reply<Listing> part = read_list(*answer);
    if (goes_on) answer = coming.get();
    if (!part) return part;
    std::move(part->items.begin(), part->items.end(), std::back_inserter(all.items));
    all.rest = std::move(part->rest);
    const std::string after = text_of(all.rest, "continue");
    all.rest.erase("continue");
    if (goes_on) continue;
    all.more = !after.empty() && all.items.size() >= most && most != 0;
    if (most != 0 && all.items.size() > most) all.items.resize(most);
    if (after.empty() || all.more) return all;
    answer = ask(all.items.size(), after);
  }
  return tl::unexpected(answer.error());
}

Reply<Client::Piece> Client::log_piece(const std::string& path, const Query& query) {
  auto answer = perform({.path = path + query_text(query)});
  if (!answer) return tl::unexpected(answer.error());
  return Piece{std::move(answer->body), std::string(answer->header("headroom-log-next"))};
}

Reply<bool> Client::stream(const std::string& path, const Query& query,
                           const std::function<bool(std::string_view)>& on_bytes) {
  const auto answer =
      perform({.path = path + query_text(query), .on_bytes = on_bytes, .seconds = 0});
  if (!answer) return tl::unexpected(answer.error());
  return !answer->stopped;
}

}  // namespace headroom::cli
