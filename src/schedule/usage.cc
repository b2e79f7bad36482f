#include "schedule/usage.h"

#include <array>

namespace headroom::schedule {

namespace {

__extension__ using Wide = __int128;

constexpr int kSteps = 1024;

// 2^(-i / 1024) x 2^31, i = 0..1024, by repeated multiplication with 2^(-1/1024) x 2^62.
const std::array<std::int64_t, kSteps + 1>& powers() {
  static const std::array<std::int64_t, kSteps + 1> table = [] {
    constexpr std::int64_t kStep = 4'608'565'417'332'308'034;  // 2^62 x 2^(-1/1024)
    std::array<std::int64_t, kSteps + 1> made{};
    std::int64_t exact = std::int64_t{1} << 62;
    for (std::int64_t& one : made) {
      one = exact >> 31;
      exact = static_cast<std::int64_t>(Wide{exact} * kStep >> 62);
    }
    return made;
  }();
  return table;
}

}  // namespace

std::int64_t decayed(std::int64_t value, base::Duration elapsed, base::Duration half_life) {
  const std::int64_t halvings = elapsed / half_life;
  if (halvings >= 62) return 0;
  const std::int64_t rest = elapsed.value() % half_life.value();
  const Wide position = Wide{rest} * kSteps;
  const auto step = static_cast<std::size_t>(position / half_life.value());
  const auto part = static_cast<std::int64_t>(position % half_life.value());
  const std::int64_t from = powers()[step];
  const std::int64_t to = powers()[step + 1];
  const auto factor = from - static_cast<std::int64_t>(Wide{from - to} * part / half_life.value());
  return static_cast<std::int64_t>(Wide{value >> halvings} * factor >> 31);
}

std::int64_t decayed_integral(std::int64_t held, base::Duration elapsed, base::Duration half_life) {
  // Half-life / ln 2 in microseconds: fine enough for steps of a millisecond.
  const std::int64_t whole = half_life.value() * 1'442'695 / 1000;
  const std::int64_t part = whole - decayed(whole, elapsed, half_life);
  return static_cast<std::int64_t>(Wide{held} * part / 1000);
}

}  // namespace headroom::schedule
