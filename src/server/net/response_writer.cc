#include "server/net/response_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/assert.h"

namespace headroom::server::net {

namespace {

// "Mon, 30 Nov 2026 12:00:00 GMT", whatever the locale.
std::string date_now() {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                     kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                     utc.tm_min, utc.tm_sec);
}

void add(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ");
  for (const char c : value) head += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? ' ' : c;
  head += "\r\n";
}

}  // namespace

std::string response_head(const Response& response, const HeadOptions& options) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  bool cached = false;
  for (const auto& [name, value] : response.headers) {
    add(head, name, value);
    cached |= name == "Cache-Control";
  }
  if (!cached) add(head, "Cache-Control", "no-store");
  add(head, "Date", date_now());
  add(head, "X-Content-Type-Options", "nosniff");
  add(head, "X-Request-Id", options.request_id);
  if (options.chunked) add(head, "Transfer-Encoding", "chunked");
  if (options.length) add(head, "Content-Length", std::to_string(*options.length));
  if (options.close) add(head, "Connection", "close");
  return head + "\r\n";
}

std::string chunk(const std::string& data) {
  HEADROOM_ASSERT(!data.empty());  // would be the last one
  return fmt::format("{:x}\r\n{}\r\n", data.size(), data);
}

}  // namespace headroom::server::net
