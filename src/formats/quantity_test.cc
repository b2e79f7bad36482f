#include "formats/quantity.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "formats/names.h"
#include "formats/time.h"

namespace headroom::formats {

namespace {

template <class T>
std::string error_of(const base::Result<T>& result) {
  return result ? "accepted" : result.error().message;
}

}  // namespace

TEST(Quantity, ReadsEveryUnit) {
  EXPECT_EQ(*parse_bytes("2TiB"), base::gibibytes(2048));
  EXPECT_EQ(*parse_bytes("30TB"), base::gigabytes(30'000));
  EXPECT_EQ(*parse_bytes("1.5GiB"), base::mebibytes(1536));
  EXPECT_EQ(*parse_bytes("20 GiB"), base::gibibytes(20));
  EXPECT_EQ(*parse_rate("400Gbps"), base::BytesPerSecond{50'000'000'000});
  EXPECT_EQ(*parse_rate("40GB/s"), base::BytesPerSecond{40'000'000'000});
  EXPECT_EQ(*parse_power("44kW"), base::Watts{44'000});
  EXPECT_EQ(*parse_operations("2M"), base::Operations{2'000'000});
  EXPECT_EQ(*parse_duration("30min"), base::Duration{1'800'000});
  EXPECT_EQ(*parse_duration("48h"), base::Duration{172'800'000});
  EXPECT_EQ(*parse_duration("1-12:00:00"), base::Duration{129'600'000});
  EXPECT_EQ(*parse_duration("1-12"), base::Duration{129'600'000});
  EXPECT_EQ(*parse_duration("12:00:05"), base::Duration{43'205'000});
  EXPECT_EQ(*parse_cores("1.5"), base::CpuMilli{1500});
  EXPECT_EQ(*parse_cores("250m"), base::CpuMilli{250});
  EXPECT_EQ(*parse_share("250m"), base::GpuMilli{250});
  EXPECT_EQ(*parse_bytes_per_step("1.6GB/step"), base::Bytes{1'600'000'000});
  EXPECT_EQ(*parse_node_count("32 nodes"), 32);
  EXPECT_EQ(*parse_permille("1.3", 1000, 5000), 1300);
}

TEST(Quantity, ABareNumberOrAWrongUnitSaysWhatIsAllowed) {
  EXPECT_EQ(error_of(parse_power("44")), "44 has no unit (one of W, kW or MW)");
  EXPECT_EQ(error_of(parse_bytes("400Gbps")), "400Gbps is a rate, not a size");
  EXPECT_EQ(error_of(parse_rate("2TiB")), "2TiB is a size, not a rate");
  EXPECT_EQ(error_of(parse_duration("2TiB")), "2TiB is a size, not a duration");
  EXPECT_EQ(error_of(parse_bytes("2TIB")), "2TIB has the unknown unit TIB (did you mean TiB?)");
  EXPECT_EQ(error_of(parse_power("44KW")), "44KW has the unknown unit KW (did you mean kW?)");
  EXPECT_EQ(error_of(parse_bytes("-2TiB")), "-2TiB is not a size (such as 2TiB)");
  EXPECT_EQ(error_of(parse_bytes("")), "(empty) is not a size (such as 2TiB)");
  EXPECT_EQ(error_of(parse_share("1000m")), "1000m is not in 1m..999m");
  EXPECT_EQ(error_of(parse_integer("007", 0, 9)), "007 is not a whole number in 0..9");
}

TEST(Quantity, NothingIsRoundedAndNothingOverflows) {
  EXPECT_EQ(error_of(parse_bytes("0.3B")),
            "0.3B: 0.3 is not a whole number of base units (such as 2TiB)");
  EXPECT_EQ(error_of(parse_bytes("8EiB")), "8EiB: 8 is too large (such as 2TiB)");
  EXPECT_EQ(error_of(parse_bytes("12345678901234567890B")),
            "12345678901234567890B: 12345678901234567890 has more than 19 digits (such as 2TiB)");
  EXPECT_EQ(*parse_bytes("9223372036854775807B"), base::Bytes{9'223'372'036'854'775'807});
  EXPECT_FALSE(parse_bytes("9223372036854775808B"));
  EXPECT_EQ(*parse_cores(print_cores(*parse_cores("1111111111111122.11"))),
            base::CpuMilli{1'111'111'111'111'122'110});  // found by fuzzing
  for (const char* text : {"1.B", ".5kB", "1.2.3GB", ".", "1..2GB"}) {
    EXPECT_FALSE(parse_bytes(text)) << text;
  }
  for (const char* text :
       {"1:00", "1-24", "1-2", "1-02:60", "1-", "-", ":", "1:2:3", "12:00:00:00"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Quantity, WhatIsPrintedIsReadAgain) {
  base::Rng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = static_cast<int>(rng.below(56));
    std::int64_t value = static_cast<std::int64_t>(rng.next() >> (63 - bits));
    if (rng.chance(1, 2)) value = value / 1000 * 1000;
    EXPECT_EQ(*parse_bytes(print_bytes(base::Bytes{value})), base::Bytes{value});
    EXPECT_EQ(*parse_rate(print_rate(base::BytesPerSecond{value})), base::BytesPerSecond{value});
    EXPECT_EQ(*parse_rate(print_bit_rate(base::BytesPerSecond{value})),
              base::BytesPerSecond{value});
    EXPECT_EQ(*parse_power(print_power(base::Watts{value})), base::Watts{value});
    EXPECT_EQ(*parse_duration(print_duration(base::Duration{value})), base::Duration{value});
    EXPECT_EQ(*parse_operations(print_operations(base::Operations{value})),
              base::Operations{value});
    EXPECT_EQ(*parse_cores(print_cores(base::CpuMilli{value})), base::CpuMilli{value});
    const base::Time time{value % 250'000'000'000'000 / 1000 * 1000};
    EXPECT_EQ(*parse_time(print_time(time)), time);
  }
  EXPECT_EQ(print_bytes(base::gibibytes(2048)), "2TiB");
  EXPECT_EQ(print_bytes(base::Bytes{0}), "0B");
  EXPECT_EQ(print_bit_rate(base::BytesPerSecond{50'000'000'000}), "400Gbps");
  EXPECT_EQ(print_bit_rate(*parse_rate("5EiB/s")), "5EiB/s");  // too many bits; found by fuzzing
  EXPECT_EQ(print_permille(1300), "1.3");
}

TEST(Names, PatternsStandForNames) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(*expand_names("h[001-003]"), (Names{"h001", "h002", "h003"}));
  EXPECT_EQ(*expand_names("a,r[1-2]n[01,08-09]"),
            (Names{"a", "r1n01", "r1n08", "r1n09", "r2n01", "r2n08", "r2n09"}));
  EXPECT_EQ(expand_names("h[001-100]")->size(), 100U);
}

TEST(Names, BadPatternsAreErrors) {
  EXPECT_EQ(error_of(expand_names("h[01-")), "a bracket is not closed");
  EXPECT_EQ(error_of(expand_names("h[9-1]")), "9-1 runs backwards");
  EXPECT_EQ(error_of(expand_names("h[]")), "(empty) is not a range of numbers (such as 001-032)");
  EXPECT_EQ(error_of(expand_names("a,,b")), "a name is empty");
  EXPECT_EQ(error_of(expand_names("a b")),
            "a b has ' ' (allowed: letters, digits, - _ . and [1-9])");
  EXPECT_EQ(error_of(expand_names("h[0-99999999]")),
            "the pattern stands for more than 1000000 names");
  EXPECT_EQ(error_of(expand_names("[1-1000][1-1001]")),
            "the pattern stands for more than 1000000 names");
  EXPECT_EQ(*parse_range("42-51"), (Range{42, 51}));
  EXPECT_FALSE(parse_range("51-42"));
  EXPECT_FALSE(parse_range("-1"));
}

TEST(Time, NeedsAZoneAndARealDate) {
  EXPECT_EQ(parse_time("1970-01-02")->value(), 86'400'000);
  EXPECT_EQ(parse_time("2026-11-30T12:51:07Z")->value(), 1'796'043'067'000);
  EXPECT_EQ(*parse_time("2026-11-30T13:51:07+01:00"), *parse_time("2026-11-30T12:51:07Z"));
  for (const char* text : {"2026-02-29", "2026-13-01", "2026-11-30T12:00", "2026-11-30 12:00Z",
                           "12:00", "", "1970-01-01T00:00+01:00", "2026-11-30T12:00:00Zx"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace headroom::formats
