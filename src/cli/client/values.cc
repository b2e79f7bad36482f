#include "cli/client/values.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "formats/time.h"

namespace headroom::cli {

namespace {

std::tm local(base::Time time) {
  const std::time_t seconds = time.value() / 1000;
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return parts;
}

std::string formatted(const std::tm& parts, const char* form) {
  char text[64];
  const std::size_t length = std::strftime(text, sizeof text, form, &parts);
  return {text, length};
}

}  // namespace

std::optional<base::Time> time_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto time = formats::parse_time(text);
  if (!time) return std::nullopt;
  return *time;
}

std::string local_time(base::Time time, base::Time now) {
  const std::tm then = local(time);
  const std::tm today = local(now);
  if (then.tm_year != today.tm_year) return formatted(then, "%Y-%m-%d");
  return formatted(then, then.tm_yday == today.tm_yday ? "%H:%M:%S" : "%b %d %H:%M");
}

std::string full_local_time(base::Time time) { return formatted(local(time), "%Y-%m-%d %H:%M:%S"); }

std::string short_duration(base::Duration duration) {
  const std::int64_t seconds = std::max<std::int64_t>(duration.value(), 0) / 1000;
  const std::int64_t minutes = seconds / 60;
  const std::int64_t hours = minutes / 60;
  if (minutes == 0) return fmt::format("{}s", seconds);
  if (hours == 0) return fmt::format("{}m{:02}s", minutes, seconds % 60);
  if (hours < 24) return fmt::format("{}h{:02}m", hours, minutes % 60);
  return fmt::format("{}d{:02}h", hours / 24, hours % 24);
}

base::Time now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return base::Time{std::chrono::duration_cast<std::chrono::milliseconds>(since).count()};
}

}  // namespace headroom::cli
