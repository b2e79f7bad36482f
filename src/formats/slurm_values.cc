#include "formats/slurm_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "formats/message.h"
#include "formats/quantity.h"
#include "formats/spelling.h"
#include "formats/time.h"
#include "formats/units.h"
#include "formats/utf8.h"

namespace headroom::formats {

using base::Duration;
using base::Result;
using base::Time;

namespace {

constexpr std::int64_t kLongest = 1'000'000;       // days of a limit, hours of a clock
constexpr std::int64_t kLatest = 253'402'300'799;  // seconds: the end of the year 9999

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// A whole number that may have leading zeros, at most `most`; -1 when it is none.
std::int64_t number_of(std::string_view text, std::int64_t most) {
  if (!all_digits(text) || text.size() > 18) return -1;
  std::int64_t value = 0;
  for (const char c : text) value = value * 10 + (c - '0');
  return value <= most ? value : -1;
}

// The numbers between the colons of "12:00:00", or nothing.
std::vector<std::int64_t> clock_parts(std::string_view text) {
  std::vector<std::int64_t> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    const std::int64_t value = number_of(text.substr(at, end - at), kLongest * 60);
    if (value < 0 || parts.size() == 3) return {};
    parts.push_back(value);
    at = end + 1;
  }
  return parts;
}

// Seconds of "[days-]clock". Without days one number is minutes and two are minutes and seconds;
// after days they are hours, minutes and seconds. -1 when it is none.
std::int64_t seconds_of(std::string_view text) {
  std::int64_t days = 0;
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  if (has_days) {
    days = number_of(text.substr(0, dash), kLongest);
    if (days < 0) return -1;
    text.remove_prefix(dash + 1);
  }
  std::vector<std::int64_t> parts = clock_parts(text);
  if (parts.empty()) return -1;
  if (has_days) parts.resize(3, 0);
  if (parts.size() == 1) return parts[0] * 60;
  if (parts.size() == 2) return parts[0] * 60 + parts[1];
  return days * 86'400 + parts[0] * 3600 + parts[1] * 60 + parts[2];
}

}  // namespace

bool is_nothing(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{
      "", "(null)", "None", "N/A", "n/a", "None assigned", "Unknown", "NONE", "(none)"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

Result<std::optional<Time>> parse_slurm_time(std::string_view text, const TimeZone& zone) {
  if (is_nothing(text)) return std::nullopt;
  if (all_digits(text)) {
    const std::int64_t seconds = number_of(text, kLatest);
    if (seconds == 0) return std::nullopt;
    if (seconds > 0) return Time{seconds * 1000};
  }
  const bool is_bare = text.find_first_of("Z+") == std::string_view::npos && text.size() == 19;
  const Result<Time> time = parse_time(is_bare ? std::string(text) + "Z" : std::string(text));
  if (!time) {
    return base::fail(shown(text) + " is not a time (such as 2026-11-30T12:00:00, or Unknown)");
  }
  const Time utc = is_bare ? zone.to_utc(*time) : *time;
  return utc > Time{} ? std::optional(utc) : std::nullopt;
}

Result<std::optional<Duration>> parse_slurm_limit(std::string_view text) {
  const std::string word = lower_case(text);
  for (const char* none : {"unlimited", "infinite", "partition_limit", "invalid", "not_set"}) {
    if (word == none) return std::nullopt;
  }
  if (is_nothing(text)) return std::nullopt;
  const std::int64_t seconds = seconds_of(text);
  if (seconds > 0) return Duration{seconds * 1000};
  if (seconds == 0) return std::nullopt;
  return base::fail(shown(text) + " is not a time limit (such as 1-12:00:00, 30 or UNLIMITED)");
}

Result<Duration> parse_slurm_elapsed(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view clock = text.substr(0, point);
  std::int64_t milliseconds = 0;
  bool good = clock.find(':') != std::string_view::npos;
  if (point < text.size()) {
    const std::string digits = (std::string(text.substr(point + 1)) + "000").substr(0, 3);
    milliseconds = number_of(digits, 999);
    good = good && milliseconds >= 0;
  }
  const std::int64_t seconds = good ? seconds_of(clock) : -1;
  if (seconds >= 0) return Duration{seconds * 1000 + milliseconds};
  return base::fail(shown(text) + " is not a run time (such as 12:00:00 or 1-12:00:00)");
}

Result<SlurmMemory> parse_slurm_memory(std::string_view text) {
  const std::string_view whole = text;
  SlurmMemory memory;
  if (text.ends_with('c') || text.ends_with('n')) {
    memory.per_cpu = text.ends_with('c');
    memory.per_node = text.ends_with('n');
    text.remove_suffix(1);
  }
  std::int64_t unit = 1 << 20;
  constexpr std::string_view kUnits = "KMGTP";
  const std::size_t which = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  if (which != std::string_view::npos) {
    unit = std::int64_t{1} << (10 * (which + 1));
    text.remove_suffix(1);
  }
  // Slurm rounds what it prints to hundredths, so a fraction of a byte is dropped.
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::int64_t integer = number_of(text.substr(0, point), std::int64_t{1} << 53);
  std::string decimals(text.substr(std::min(point + 1, text.size())));
  decimals.resize(3, '0');
  const std::int64_t thousandths = number_of(decimals, 999);
  if (integer < 0 || thousandths < 0 || integer > (std::int64_t{1} << 62) / unit) {
    return base::fail(shown(whole) + " is not an amount of memory (such as 16G, 4000M or 64Gn)");
  }
  memory.amount = base::Bytes{integer * unit + thousandths * (unit / 1000) +
                              thousandths * (unit % 1000) / 1000};
  return memory;
}

Result<model::Outcome> parse_slurm_state(std::string_view state, std::string_view reason) {
  using model::Outcome;
  struct Word {
    std::string_view state;
    Outcome outcome;
  };
  static constexpr std::array<Word, 25> kWords{{
      {"COMPLETED", Outcome::kCompleted},       {"FAILED", Outcome::kFailed},
      {"CANCELLED", Outcome::kCancelled},       {"TIMEOUT", Outcome::kTimedOut},
      {"NODE_FAIL", Outcome::kNodeFailed},      {"PREEMPTED", Outcome::kPreempted},
      {"OUT_OF_MEMORY", Outcome::kOutOfMemory}, {"RUNNING", Outcome::kRunning},
      {"PENDING", Outcome::kWaiting},           {"BOOT_FAIL", Outcome::kNodeFailed},
      {"DEADLINE", Outcome::kTimedOut},         {"SUSPENDED", Outcome::kRunning},
      {"REQUEUED", Outcome::kWaiting},          {"RESIZING", Outcome::kRunning},
      {"REVOKED", Outcome::kCancelled},         {"COMPLETING", Outcome::kRunning},
      {"CONFIGURING", Outcome::kRunning},       {"STAGE_OUT", Outcome::kRunning},
      {"SIGNALING", Outcome::kRunning},         {"STOPPED", Outcome::kRunning},
      {"SPECIAL_EXIT", Outcome::kHeld},         {"REQUEUE_HOLD", Outcome::kHeld},
      {"RESV_DEL_HOLD", Outcome::kHeld},        {"REQUEUE_FED", Outcome::kWaiting},
      {"LAUNCH_FAILED", Outcome::kNodeFailed},
  }};
  const std::string_view word = state.substr(0, state.find_first_of(" +,"));
  for (const Word& known : kWords) {
    if (known.state != word) continue;
    if (known.outcome == Outcome::kWaiting && reason.find("Held") != std::string_view::npos) {
      return Outcome::kHeld;
    }
    return known.outcome;
  }
  std::vector<std::string> names;
  for (const Word& known : kWords) names.emplace_back(known.state);
  return base::fail(fmt::format("{} is not a state of a job{}", shown(state), hint(word, names)));
}

std::vector<std::string_view> split_outside(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : separator;
    if (c == '[' || c == '(') ++depth;
    if ((c == ']' || c == ')') && depth > 0) --depth;
    if (at < text.size() && (c != separator || depth > 0)) continue;
    if (at > begin) parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  return parts;
}

std::string clean_text(std::string_view text) {
  std::string clean(text);
  for (std::size_t at = 0; at < clean.size();) {
    const std::size_t bad = find_bad_text(std::string_view(clean).substr(at));
    if (bad == std::string_view::npos) break;
    at += bad;
    clean[at++] = '?';
  }
  return clean;
}

std::string clean_name(std::string_view text, std::string_view otherwise) {
  constexpr std::size_t kLongestName = 200;  // names of our own are at most 253 letters
  std::string name;
  for (const char c : text.substr(0, kLongestName)) {
    const bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    name += stays ? c : '_';
  }
  return name.empty() ? std::string(otherwise) : name;
}

}  // namespace headroom::formats
