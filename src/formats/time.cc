#include "formats/time.h"

#include <fmt/format.h>

#include <array>

#include "formats/message.h"

namespace headroom::formats {

using base::Result;
using base::Time;

namespace {

constexpr std::int64_t kDay = 86'400;

// Days since 1970-01-01 in the Gregorian calendar, and back. Source: H. Hinnant, "chrono-compatible
// low-level date algorithms" (years counted from March, eras of 400 years).
std::int64_t days_from(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (month <= 2) --year;
  const std::int64_t era = year / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719'468;
}

std::array<std::int64_t, 3> date_of(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = days / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;
  const std::int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return {year, month, day_of_year - (153 * shifted + 2) / 5 + 1};
}

bool is_leap(std::int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

std::int64_t days_in(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month == 2 && is_leap(year)) return 29;
  return kDays[static_cast<std::size_t>(month - 1)];
}

// Takes numbers and letters from the front of a text; remembers whether all were there.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::int64_t number(std::size_t digits, std::int64_t low, std::int64_t high) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (i >= rest_.size() || rest_[i] < '0' || rest_[i] > '9') {
        ok_ = false;
        return low;
      }
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    if (value >= low && value <= high) return value;
    ok_ = false;
    return low;
  }
  bool take(char letter) {
    if (!rest_.starts_with(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char letter) {
    if (!take(letter)) ok_ = false;
  }
  bool at_end() const { return rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Seconds of "T12:00[:05](Z|+01:00|-01:00)", moved to UTC.
std::int64_t scan_time_of_day(Scanner& scanner) {
  std::int64_t seconds = scanner.number(2, 0, 23) * 3600;
  scanner.need(':');
  seconds += scanner.number(2, 0, 59) * 60;
  if (scanner.take(':')) seconds += scanner.number(2, 0, 59);
  if (scanner.take('Z')) return seconds;
  const bool east = scanner.take('+');
  if (!east) scanner.need('-');
  std::int64_t offset = scanner.number(2, 0, 14) * 3600;
  scanner.need(':');
  offset += scanner.number(2, 0, 59) * 60;
  return east ? seconds - offset : seconds + offset;
}

}  // namespace

Result<Time> parse_time(std::string_view text) {
  Scanner scanner(text);
  const std::int64_t year = scanner.number(4, 1970, 9999);
  scanner.need('-');
  const std::int64_t month = scanner.number(2, 1, 12);
  scanner.need('-');
  const std::int64_t day = scanner.number(2, 1, days_in(year, month));
  std::int64_t seconds = days_from(year, month, day) * kDay;
  if (scanner.take('T')) seconds += scan_time_of_day(scanner);
  if (scanner.ok() && scanner.at_end() && seconds >= 0) return Time{seconds * 1000};
  return base::fail(shown(text) + " is not a time (such as 2026-11-30 or 2026-11-30T12:00:00Z)");
}

std::string print_time(Time time) {
  const std::int64_t seconds = time.value() / 1000;
  const auto [year, month, day] = date_of(seconds / kDay);
  const std::int64_t of_day = seconds % kDay;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, month, day, of_day / 3600,
                     of_day / 60 % 60, of_day % 60);
}

}  // namespace headroom::formats
