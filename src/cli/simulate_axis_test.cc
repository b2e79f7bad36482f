#include "cli/simulate_axis.h"

#include <gtest/gtest.h>

#include "formats/time.h"

namespace headroom::cli {
namespace {

base::Time time(const char* text) { return formats::parse_time(text).value(); }

std::vector<std::string> labels(base::Time first, base::Time last) {
  std::vector<std::string> list;
  for (const Tick& tick : ticks_of(first, last)) list.push_back(tick.label);
  return list;
}

TEST(Axis, DaysAreAtMidnight) {
  const base::Time first = time("2026-11-02T07:30:00Z");
  const auto ticks = ticks_of(first, time("2026-11-08T12:00:00Z"));
  ASSERT_EQ(ticks.size(), 6u);
  EXPECT_EQ(ticks[0].label, "3 Nov");
  EXPECT_DOUBLE_EQ(ticks[0].at, 16.5 * 3600);
}

TEST(Axis, HoursSayTheDay) {
  EXPECT_EQ(labels(time("2026-11-02T00:01:00Z"), time("2026-11-02T13:00:00Z")),
            (std::vector<std::string>{"2 Nov 02:00", "2 Nov 04:00", "2 Nov 06:00", "2 Nov 08:00",
                                      "2 Nov 10:00", "2 Nov 12:00"}));
}

TEST(Axis, TracesWithoutDatesCountFromTheirBeginning) {
  const base::Time first{12'345};
  EXPECT_EQ(labels(first, first + base::Duration{4 * 86'400'000}),
            (std::vector<std::string>{"0", "1 d", "2 d", "3 d", "4 d"}));
  EXPECT_EQ(moment(first, first + base::Duration{27 * 3'600'000}), "1 d 3 h");
}

TEST(Axis, NeverManyTicks) {
  const base::Time first = time("2020-01-01");
  for (std::int64_t length = 1; length < 2'000'000'000'000; length = length * 3 + 1) {
    EXPECT_LE(ticks_of(first, first + base::Duration{length}).size(), 8u) << length;
  }
}

TEST(Axis, ShortTimes) {
  EXPECT_EQ(short_time(0), "0 s");
  EXPECT_EQ(short_time(90), "2 min");
  EXPECT_EQ(short_time(5'400), "1.5 h");
  EXPECT_EQ(short_time(259'200), "3.0 d");
}

}  // namespace
}  // namespace headroom::cli
