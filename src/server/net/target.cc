#include "server/net/target.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "formats/utf8.h"

namespace headroom::server::net {

namespace {

constexpr std::size_t kMostParameters = 100;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

// `plus`: a plus stands for a space, as in a query.
base::Result<std::string> decode(std::string_view text, bool plus) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus) c = ' ';
    if (c == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return base::fail(fmt::format("'{}' is not % and two hex digits", text.substr(i, 3)));
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (is_control(c)) return base::fail("a control character is not allowed");
    out += c;
  }
  if (formats::find_bad_text(out) != std::string_view::npos) return base::fail("not UTF-8");
  return out;
}

// Whether it, or a part of it between slashes that were encoded, is "." or "..".
bool climbs(std::string_view segment) {
  while (true) {
    const std::size_t slash = segment.find('/');
    const std::string_view part = segment.substr(0, slash);
    if (part == "." || part == "..") return true;
    if (slash == std::string_view::npos) return false;
    segment.remove_prefix(slash + 1);
  }
}

// Splits off what comes before the mark; the rest is none where the mark is missing.
std::pair<std::string_view, std::optional<std::string_view>> cut(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

base::Result<std::vector<std::string>> parse_path(std::string_view text) {
  std::vector<std::string> path;
  std::optional<std::string_view> rest = text.substr(1);  // after the first slash
  if (rest->empty()) return path;
  while (rest) {
    const auto [segment, after] = cut(*rest, '/');
    auto decoded = decode(segment, false);
    if (!decoded) return base::fail("path: " + decoded.error().message);
    if (climbs(*decoded)) return base::fail("path: '.' and '..' are not allowed");
    path.push_back(*std::move(decoded));
    rest = after;
  }
  return path;
}

base::Result<std::map<std::string, std::string>> parse_query(std::string_view text) {
  std::map<std::string, std::string> query;
  std::optional<std::string_view> rest = text;
  while (rest) {
    const auto [pair, after] = cut(*rest, '&');
    rest = after;
    if (pair.empty()) continue;
    const auto [raw_name, raw_value] = cut(pair, '=');
    const auto name = decode(raw_name, true);
    if (!name) return base::fail("query: " + name.error().message);
    auto value = decode(raw_value.value_or(""), true);
    if (!value) return base::fail(fmt::format("query {}: {}", *name, value.error().message));
    if (!query.emplace(*name, *std::move(value)).second) {
      return base::fail(fmt::format("query {}: given twice", *name));
    }
    if (query.size() > kMostParameters) {
      return base::fail(fmt::format("query: more than {} parameters", kMostParameters));
    }
  }
  return query;
}

// The path and query of an absolute form; none: it is neither form.
std::optional<std::string_view> origin_form(std::string_view target) {
  if (target.starts_with('/')) return target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t slash = target.find_first_of("/?", scheme.size());
    if (slash == std::string_view::npos) return "/";
    if (target[slash] == '/') return target.substr(slash);
  }
  return std::nullopt;
}

}  // namespace

base::Result<Target> parse_target(std::string_view target) {
  for (const char c : target) {
    if (c <= ' ' || c >= 0x7f || c == '#') {  // char is signed here: bytes from 0x80 on as well
      return base::fail("a URI is of printable ASCII; encode other bytes with %");
    }
  }
  const auto origin = origin_form(target);
  if (!origin) return base::fail("neither a path nor an http URI");
  const auto [raw_path, raw_query] = cut(*origin, '?');
  auto path = parse_path(raw_path);
  if (!path) return base::fail(path.error().message);
  auto query = parse_query(raw_query.value_or(""));
  if (!query) return base::fail(query.error().message);
  return Target{*std::move(path), *std::move(query)};
}

}  // namespace headroom::server::net
