// One HTTP/1.1 request from bytes as they come, without a socket. It is strict where two readers
// could disagree on where a request ends: one Content-Length or "Transfer-Encoding: chunked", never
// both, never twice, no other encoding, exactly one Host.
//
//   RequestParser parser(limits);
//   while (parser.stage() is kHead or kBody) { read more; used = parser.feed(unread); }
//
// Between kHead and kBody the caller looks at the head and sets the limit of the body.
// Memory: the body as it came, at most the limit. O(bytes).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/net/http.h"
#include "server/net/problem.h"

namespace headroom::server::net {

class RequestParser {
 public:
  enum class Stage : std::uint8_t { kHead, kBody, kDone, kFailed };

  explicit RequestParser(std::size_t head_limit);
  ~RequestParser();

  // Takes what it can of the bytes that no earlier call took and returns how many it took; the
  // rest must be given again with more. Stops after the head and after the request.
  std::size_t feed(std::string_view bytes);

  Stage stage() const;
  const Problem& problem() const;  // kFailed: what to answer before closing

  // From kBody on.
  std::string method() const;
  std::string target() const;
  Headers headers() const;
  std::string_view header(std::string_view name) const;
  bool keep_alive() const;
  bool is_http_1_0() const;
  bool expects_continue() const;

  // In kBody: fails with 413 if the announced length is over it, or when more comes.
  void set_body_limit(std::uint64_t bytes);

  std::string take_body();  // in kDone

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headroom::server::net
