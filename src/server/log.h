// The server's log: one line an event, `key=value`, to stderr:
//
//   2026-11-30T12:00:00.123Z info request id=4f1c method=GET path=/api/v1/jobs status=200 ms=1.4
//
// Values are quoted where they need to be and never hold a secret: whatever looks like a token of
// ours is replaced, whoever logs it. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"

namespace headroom::server {

class Log {
 public:
  enum class Level : std::uint8_t { kDebug, kInfo, kWarning, kError };
  struct Field {
    std::string_view key;
    std::string value;
  };

  explicit Log(Level level);  // to stderr
  // For tests: each line, without time and line end.
  Log(Level level, std::function<void(const std::string&)> take);

  bool shows(Level level) const { return level >= level_; }
  void write(Level level, std::string_view event, std::initializer_list<Field> fields);

 private:
  Level level_;
  std::function<void(const std::string&)> take_;
};

// "debug", "info", "warning", "error".
base::Result<Log::Level> parse_log_level(std::string_view text);

// The text with every token of ours in it replaced by "hr_…".
std::string without_secrets(std::string_view text);

}  // namespace headroom::server
