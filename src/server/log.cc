#include "server/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <utility>

namespace headroom::server {

namespace {

constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warning", "error"};
constexpr std::string_view kTokenMark = "hr_";
constexpr std::size_t kShortestSecret = 8;

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_plain(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > ' ' && c != '"' && c != '=' && c != '\\' && c != 0x7f;
  });
}

std::string quoted(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      text += c;
    }
  }
  return text + '"';
}

}  // namespace

std::string without_secrets(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0;;) {
    const std::size_t mark = text.find(kTokenMark, at);
    if (mark == std::string_view::npos) return clean.append(text.substr(at));
    std::size_t end = mark + kTokenMark.size();
    while (end < text.size() && is_token_character(text[end])) ++end;
    const bool secret = end - mark >= kTokenMark.size() + kShortestSecret;
    clean.append(text.substr(at, mark - at));
    clean.append(secret ? "hr_…" : text.substr(mark, end - mark));
    at = end;
  }
}

Log::Log(Level level) : level_(level) {
  const auto logger = std::make_shared<spdlog::logger>(
      "headroom", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
  take_ = [logger](const std::string& line) { logger->info("{}", line); };
}

Log::Log(Level level, std::function<void(const std::string&)> take)
    : level_(level), take_(std::move(take)) {}

void Log::write(Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (!shows(level)) return;
  std::string line(kNames[static_cast<std::size_t>(level)]);
  line.append(" ").append(is_plain(event) ? std::string(event) : quoted(event));
  for (const Field& field : fields) {
    const std::string value = without_secrets(field.value);
    line.append(" ").append(field.key).append("=");
    line.append(is_plain(value) ? value : quoted(value));
  }
  take_(line);
}

base::Result<Log::Level> parse_log_level(std::string_view text) {
  const auto* found = std::ranges::find(kNames, text);
  if (found == kNames.end()) {
    return base::fail(
        fmt::format("log level: '{}' is not one of debug, info, warning, error", text));
  }
  return static_cast<Log::Level>(found - kNames.begin());
}

}  // namespace headroom::server
