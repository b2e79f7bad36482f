// The only file that includes Beast.
#include "server/net/request_parser.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <utility>

namespace headroom::server::net {

namespace {

namespace http = boost::beast::http;

std::string text(boost::beast::string_view view) { return {view.data(), view.size()}; }

// What Beast leaves open: two readers must agree on where the request ends, and for whom it is.
std::optional<Problem> find_ambiguity(const http::request<http::string_body>& head) {
  const auto lengths = head.count(http::field::content_length);
  const auto encodings = head.count(http::field::transfer_encoding);
  const auto hosts = head.count(http::field::host);
  if (encodings > 0 && lengths > 0) {
    return Problem{400, "Content-Length and Transfer-Encoding exclude each other"};
  }
  // A list such as "3, 3" is for Beast one number.
  if (head[http::field::content_length].find_first_not_of("0123456789") != std::string_view::npos) {
    return Problem{400, "Content-Length: not a whole number"};
  }
  if (lengths > 1) return Problem{400, "Content-Length: given twice"};
  if (encodings > 1) return Problem{400, "Transfer-Encoding: given twice"};
  if (encodings == 1) {
    if (!boost::beast::iequals(head[http::field::transfer_encoding], "chunked")) {
      return Problem{400, "Transfer-Encoding: only chunked is known"};
    }
    if (head.version() < 11) return Problem{400, "Transfer-Encoding: not in HTTP/1.0"};
  }
  if (hosts > 1) return Problem{400, "Host: given twice"};
  if (hosts == 0 && head.version() >= 11) return Problem{400, "Host: missing"};
  return std::nullopt;
}

Problem problem_of(const boost::system::error_code& error) {
  if (error == http::error::header_limit) {
    return {431, "the request line and headers are too large"};
  }
  if (error == http::error::body_limit) return {413, "the body is too large"};
  return {400, fmt::format("not HTTP/1.1: {}", error.message())};
}

}  // namespace

struct RequestParser::Impl {
  http::request_parser<http::string_body> parser;
  Stage stage = Stage::kHead;
  Problem problem;

  void fail(Problem what) {
    problem = std::move(what);
    stage = Stage::kFailed;
  }

  void head_is_complete() {
    if (auto ambiguous = find_ambiguity(parser.get())) return fail(*std::move(ambiguous));
    const auto expect = parser.get()[http::field::expect];
    if (!expect.empty() && !boost::beast::iequals(expect, "100-continue")) {
      return fail({417, "Expect: only 100-continue is known"});
    }
    stage = Stage::kBody;
  }
};

RequestParser::RequestParser(std::size_t head_limit) : impl_(new Impl) {
  impl_->parser.header_limit(static_cast<std::uint32_t>(head_limit));
  impl_->parser.body_limit(boost::none);  // set_body_limit, once the head is known
}

RequestParser::~RequestParser() = default;

std::size_t RequestParser::feed(std::string_view bytes) {
  auto& parser = impl_->parser;
  std::size_t used = 0;
  while (impl_->stage == Stage::kHead || impl_->stage == Stage::kBody) {
    if (impl_->stage == Stage::kBody && parser.is_done()) {
      impl_->stage = Stage::kDone;
      break;
    }
    if (used == bytes.size()) break;
    // Beast asserts that this much of the last chunk ("0", two line ends) is there when it looks at
    // it a second time. It is the end of every body in chunks, so waiting for it loses nothing.
    constexpr std::size_t kLastChunkSize = 5;
    if (impl_->stage == Stage::kBody && parser.chunked() && bytes.size() - used < kLastChunkSize) {
      break;
    }
    boost::system::error_code error;
    const std::size_t taken =
        parser.put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), error);
    used += taken;
    if (error == http::error::need_more) break;
    if (error) {
      impl_->fail(problem_of(error));
      break;
    }
    if (impl_->stage == Stage::kHead && parser.is_header_done()) {
      impl_->head_is_complete();
      break;
    }
  }
  return used;
}

RequestParser::Stage RequestParser::stage() const { return impl_->stage; }
const Problem& RequestParser::problem() const { return impl_->problem; }
std::string RequestParser::method() const { return text(impl_->parser.get().method_string()); }
std::string RequestParser::target() const { return text(impl_->parser.get().target()); }

Headers RequestParser::headers() const {
  Headers headers;
  for (const auto& field : impl_->parser.get()) {
    headers.emplace_back(text(field.name_string()), text(field.value()));
  }
  return headers;
}

std::string_view RequestParser::header(std::string_view name) const {
  const auto value = impl_->parser.get()[boost::beast::string_view(name.data(), name.size())];
  return {value.data(), value.size()};
}

bool RequestParser::keep_alive() const { return impl_->parser.keep_alive(); }
bool RequestParser::is_http_1_0() const { return impl_->parser.get().version() < 11; }

bool RequestParser::expects_continue() const {
  return !impl_->parser.get()[http::field::expect].empty() && !is_http_1_0();
}

void RequestParser::set_body_limit(std::uint64_t bytes) {
  const auto length = impl_->parser.content_length();
  if (length && *length > bytes) {
    return impl_->fail(
        {413, fmt::format("the body has {} bytes; at most {} are allowed", *length, bytes)});
  }
  impl_->parser.body_limit(bytes);
}

std::string RequestParser::take_body() { return std::move(impl_->parser.get().body()); }

}  // namespace headroom::server::net
