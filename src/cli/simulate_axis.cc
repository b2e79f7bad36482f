#include "cli/simulate_axis.h"

#include <fmt/format.h>

#include <array>

#include "formats/time.h"

namespace headroom::cli {

namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr base::Time kFirstDate{20 * 365 * kDay};  // about 1990
constexpr std::int64_t kMostTicks = 8;

constexpr std::array<std::int64_t, 17> kSteps = {
    kMinute,   5 * kMinute, 15 * kMinute, kHour,      2 * kHour, 3 * kHour,
    6 * kHour, 12 * kHour,  kDay,         2 * kDay,   5 * kDay,  10 * kDay,
    20 * kDay, 50 * kDay,   100 * kDay,   200 * kDay, 500 * kDay};

std::int64_t step_for(std::int64_t length) {
  for (const std::int64_t step : kSteps) {
    if (length / step < kMostTicks) return step;
  }
  return (length / (kMostTicks * kDay) + 1) * kDay;
}

std::string date(base::Time at, bool with_year) {
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::string text = formats::print_time(at);  // 2026-11-02T06:00:00Z
  const auto month = static_cast<std::size_t>(std::stoi(text.substr(5, 2)) - 1);
  const std::string day = text[8] == '0' ? text.substr(9, 1) : text.substr(8, 2);
  return day + " " + kMonths[month] + (with_year ? " " + text.substr(0, 4) : "");
}

std::string time_of_day(base::Time at) { return formats::print_time(at).substr(11, 5); }

std::string elapsed(std::int64_t time) {
  if (time == 0) return "0";
  if (time < kHour) return fmt::format("{} min", time / kMinute);
  if (time < kDay) return fmt::format("{} h", time / kHour);
  if (time % kDay < kHour) return fmt::format("{} d", time / kDay);
  return fmt::format("{} d {} h", time / kDay, time % kDay / kHour);
}

}  // namespace

bool is_dated(base::Time first) { return first >= kFirstDate; }

std::string moment(base::Time first, base::Time at) {
  if (!is_dated(first)) return elapsed(base::between(first, at).value());
  return date(at, false) + " " + time_of_day(at);
}

std::vector<Tick> ticks_of(base::Time first, base::Time last) {
  const std::int64_t length = base::between(first, last).value();
  const std::int64_t step = step_for(length);
  const bool dated = is_dated(first);
  const std::int64_t origin = dated ? 0 : first.value();
  const std::int64_t begin = (first.value() - origin + step - 1) / step * step + origin;
  std::vector<Tick> ticks;
  for (std::int64_t at = begin; at <= last.value(); at += step) {
    const base::Time time{at};
    const std::string label = !dated         ? elapsed(at - origin)
                              : step >= kDay ? date(time, step >= 50 * kDay)
                                             : moment(first, time);
    ticks.push_back({static_cast<double>(at - first.value()) / 1000, label});
  }
  return ticks;
}

std::string short_time(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.1f} d", seconds / 86400);
}

}  // namespace headroom::cli
