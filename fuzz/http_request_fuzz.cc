// Any bytes as HTTP requests: in whatever pieces they come, they are the same requests, and what
// gets through is what handlers rely on. (Where it is refused may differ by a few bytes.)
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/assert.h"
#include "server/net/request_parser.h"
#include "server/net/target.h"

namespace {

using headroom::server::net::parse_target;
using headroom::server::net::RequestParser;
using Stage = RequestParser::Stage;

using Seen = std::vector<std::string>;

bool has_control(const std::string& text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

void look_at_target(const std::string& text) {
  const auto target = parse_target(text);
  if (!target) {
    HEADROOM_ASSERT(!target.error().message.empty());
    return;
  }
  for (const std::string& segment : target->path) {
    HEADROOM_ASSERT(!has_control(segment) && segment != ".." && segment != ".");
  }
  for (const auto& [name, value] : target->query) {
    HEADROOM_ASSERT(!has_control(name) && !has_control(value));
  }
}

// As a connection reads them, `piece` bytes at a time.
Seen read_requests(const std::string& bytes, std::size_t piece) {
  constexpr std::size_t kHead = 1 << 10;
  constexpr std::uint64_t kBody = 1 << 12;
  Seen seen;
  std::string unread;
  for (std::size_t at = 0; seen.size() < 8;) {
    RequestParser parser(kHead);
    bool in_body = false;
    while (true) {
      const std::size_t used = parser.feed(unread);
      HEADROOM_ASSERT(used <= unread.size());
      unread.erase(0, used);
      if (parser.stage() == Stage::kFailed) {
        HEADROOM_ASSERT(parser.problem().status >= 400 && parser.problem().status < 500);
        return seen;
      }
      if (parser.stage() == Stage::kDone) break;
      if (parser.stage() == Stage::kBody && !in_body) {
        in_body = true;
        parser.set_body_limit(kBody);
        continue;
      }
      if (at == bytes.size()) return seen;
      const std::size_t more = std::min(piece, bytes.size() - at);
      unread.append(bytes, at, more);
      at += more;
    }
    look_at_target(parser.target());
    const std::string method = parser.method();
    const std::string target = parser.target();
    std::string request = method + " " + target;
    for (const auto& [name, value] : parser.headers()) {
      HEADROOM_ASSERT(name.find_first_of("\r\n :") == std::string::npos);
      HEADROOM_ASSERT(value.find_first_of(std::string("\r\n\0", 3)) == std::string::npos);
      request.append("\n").append(name).append(":").append(value);
    }
    const std::string body = parser.take_body();
    HEADROOM_ASSERT(body.size() <= kBody);
    seen.push_back(request + "\n" + body);
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  look_at_target(text);
  if (size > 16'384) return 0;
  const Seen whole = read_requests(text, size + 1);
  HEADROOM_ASSERT(whole == read_requests(text, 1));
  HEADROOM_ASSERT(whole == read_requests(text, 7));
  return 0;
}
