#include "simulate/week.h"

#include <algorithm>
#include <array>

namespace headroom::simulate {

namespace {

constexpr std::array<std::int64_t, 24> kSubmissions = {3,  2,  2,  2,  2,  3, 4, 6, 9, 11, 12, 12,
                                                       11, 12, 12, 12, 11, 9, 7, 6, 5, 5,  4,  4};
constexpr std::array<std::int64_t, 24> kService = {450, 420, 400, 400,  420,  480, 580, 700,
                                                   820, 920, 980, 1000, 1000, 980, 980, 960,
                                                   940, 900, 860, 800,  720,  640, 560, 500};

bool weekend(std::int64_t hour) { return hour / 24 % 7 >= 5; }

std::size_t of_day(std::int64_t hour) { return static_cast<std::size_t>(hour % 24); }

}  // namespace

Week::Week(std::int64_t days) {
  std::int64_t sum = 0;
  for (std::int64_t hour = 0; hour < 24 * days; ++hour) {
    sum += kSubmissions[of_day(hour)] * (weekend(hour) ? 4 : 10);
    until_.push_back(sum);
  }
}

base::Time Week::submission(base::Rng& rng) const {
  const std::int64_t at = rng.between(0, until_.back() - 1);
  const auto hour = std::upper_bound(until_.begin(), until_.end(), at) - until_.begin();
  const std::int64_t second = rng.between(0, kHour.value() / 1000 - 1);
  return kMonday + kHour * hour + base::Duration{1000 * second};
}

std::int64_t Week::service_need(std::int64_t hour) {
  return kService[of_day(hour)] * (weekend(hour) ? 80 : 100) / 100;
}

}  // namespace headroom::simulate
