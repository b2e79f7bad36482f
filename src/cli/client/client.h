// Client: what verbs ask of a server (docs/api.md): documents in, documents out, and every failure
// with the exit code that it means.
//
//   auto client = Client::connect(flags);              // finds the server; nothing is sent yet
//   auto job = client->get("/jobs/" + url_encoded(id));
//   if (!job) return fail_with(job.error());
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cli/client/endpoint.h"
#include "cli/client/http.h"
#include "cli/command.h"

namespace headroom::cli {

using Json = nlohmann::ordered_json;
using Query = std::vector<std::pair<std::string, std::string>>;  // an empty value is left out

struct Failure {
  int exit_code = kFailed;
  std::string message;
};

template <class T>
using Reply = tl::expected<T, Failure>;

// Prints "headroom: …" on standard error and returns the exit code.
int fail_with(const Failure& failure);

// --server, --token-file and --ca, for a verb's table of flags.
std::vector<Flag> server_flags(ServerFlags& flags);

// A list that comes in pages.
struct Listing {
  std::vector<Json> items;
  Json rest;          // the last page without its items: observed, …
  bool more = false;  // there are more than were asked for
};

class Client {
 public:
  static Reply<Client> connect(const ServerFlags& flags);

  Reply<Json> get(const std::string& path, const Query& query = {});

  // POST, PUT, PATCH, DELETE. What has no body answers null. A POST carries an Idempotency-Key, so
  // that it is sent again when the connection breaks.
  Reply<Json> send(const std::string& method, const std::string& path, const Query& query = {},
                   const std::string& body = "",
                   const std::string& content_type = "application/json");

  // The text of another kind of document.
  Reply<std::string> get_text(const std::string& path, const Query& query = {});

  // A list that comes at once.
  Reply<Listing> list(const std::string& path, const Query& query = {});
  // A list that comes in pages: at most `most` items of it (0: all).
  Reply<Listing> pages(const std::string& path, const Query& query, std::size_t most = 0);

  // A piece of a log, and the offset behind it.
  struct Piece {
    std::string bytes;
    std::string next;
  };
  Reply<Piece> log_piece(const std::string& path, const Query& query);

  // Hands over bytes as they come, until the server ends, `on_bytes` says false or Ctrl-C. Returns
  // whether the server ended it.
  Reply<bool> stream(const std::string& path, const Query& query,
                     const std::function<bool(std::string_view)>& on_bytes);

  const Endpoint& endpoint() const { return http_.endpoint(); }

 private:
  explicit Client(Endpoint endpoint) : http_(std::move(endpoint)) {}
  Reply<HttpAnswer> perform(HttpRequest request);
  Reply<Listing> read_list(const HttpAnswer& answer) const;

  Http http_;
};

// What a problem document says, and the exit code that it means. Public for its test.
Failure failure_of(int status, const std::string& body, const std::string& shown);

// A text of a document, "" where it is not there or no text.
std::string text_of(const Json& document, std::string_view key);

}  // namespace headroom::cli
