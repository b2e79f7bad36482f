#include "formats/quantity.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "formats/message.h"
#include "formats/units.h"

namespace headroom::formats {

using base::Result;

namespace {

template <class Q>
Result<Q> parse(std::string_view text, UnitKind kind, std::string_view example) {
  return parse_units(text, kind, example).map([](std::int64_t value) { return Q{value}; });
}

// Two digits that are less than `limit`, from the front of `text`.
Result<std::int64_t> take_two_digits(std::string_view& text, std::int64_t limit) {
  Result<std::int64_t> value = scale_decimal(text.substr(0, 2), 1, 1);
  const bool fits = text.size() >= 2 && value && *value < limit && text[0] != '.' && text[1] != '.';
  if (!fits) return base::fail("");
  text.remove_prefix(2);
  return value;
}

// ":MM" or ":MM:SS", in milliseconds.
Result<std::int64_t> parse_minutes(std::string_view text, bool seconds_needed) {
  std::int64_t sum = 0;
  std::int64_t unit = 60'000;
  int parts = 0;
  for (; !text.empty(); ++parts, unit /= 60) {
    if (parts == 2 || text.front() != ':') return base::fail("");
    text.remove_prefix(1);
    const Result<std::int64_t> value = take_two_digits(text, 60);
    if (!value) return value;
    sum += *value * unit;
  }
  if (seconds_needed && parts != 2) return base::fail("");
  return sum;
}

// D-HH[:MM[:SS]] or H:MM:SS, in milliseconds.
Result<std::int64_t> parse_clock(std::string_view text) {
  std::int64_t sum = 0;
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const Result<std::int64_t> days = parse_integer(text.substr(0, dash), 0, 1'000'000);
    if (!days) return days;
    text.remove_prefix(dash + 1);
    const Result<std::int64_t> hours = take_two_digits(text, 24);
    if (!hours) return hours;
    sum = *days * 86'400'000 + *hours * 3'600'000;
  } else {
    const std::size_t colon = text.find(':');
    const Result<std::int64_t> hours = scale_decimal(text.substr(0, colon), 1, 1);
    if (!hours || *hours > 1'000'000) return base::fail("");
    text.remove_prefix(colon);
    sum = *hours * 3'600'000;
  }
  const Result<std::int64_t> rest = parse_minutes(text, dash == std::string_view::npos);
  if (!rest) return rest;
  return sum + *rest;
}

}  // namespace

Result<base::Bytes> parse_bytes(std::string_view text) {
  return parse<base::Bytes>(text, UnitKind::kBytes, "2TiB");
}

Result<base::BytesPerSecond> parse_rate(std::string_view text) {
  return parse<base::BytesPerSecond>(text, UnitKind::kRate, "40GB/s or 400Gbps");
}

Result<base::Watts> parse_power(std::string_view text) {
  return parse<base::Watts>(text, UnitKind::kPower, "44kW");
}

Result<base::Duration> parse_duration(std::string_view text) {
  if (text.find_first_of(":-") == std::string_view::npos) {
    return parse<base::Duration>(text, UnitKind::kDuration, "30min, 48h or 1-12:00:00");
  }
  const Result<std::int64_t> clock = parse_clock(text);
  if (clock) return base::Duration{*clock};
  return base::fail(shown(text) +
                    " is not a duration (such as 30min, 48h, 1-12:00:00 or 12:00:00)");
}

Result<base::Bytes> parse_bytes_per_step(std::string_view text) {
  return parse<base::Bytes>(text, UnitKind::kBytesPerStep, "1.6GB/step");
}

Result<base::Operations> parse_operations(std::string_view text) {
  return parse<base::Operations>(text, UnitKind::kOperations, "2M");
}

Result<base::CpuMilli> parse_cores(std::string_view text) {
  return parse<base::CpuMilli>(text, UnitKind::kCores, "96, 1.5 or 500m");
}

Result<base::GpuMilli> parse_share(std::string_view text) {
  Result<base::GpuMilli> share = parse<base::GpuMilli>(text, UnitKind::kShare, "250m");
  if (!share || (share->value() >= 1 && share->value() <= 999)) return share;
  return base::fail(shown(text) + " is not in 1m..999m");
}

Result<std::int64_t> parse_node_count(std::string_view text) {
  Result<std::int64_t> nodes = parse_units(text, UnitKind::kNodes, "32 nodes");
  if (!nodes || (*nodes >= 1 && *nodes <= 1'000'000)) return nodes;
  return base::fail(shown(text) + " is not in 1..1000000 nodes");
}

Result<std::int64_t> parse_integer(std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool canonical = digits == "0" ? digits.size() == text.size() : !digits.starts_with('0');
  if (stop != end || digits.empty() || !canonical) {
    return base::fail(fmt::format("{} is not a whole number in {}..{}", shown(text), low, high));
  }
  if (error != std::errc{} || value < low || value > high) {
    return base::fail(fmt::format("{} is not in {}..{}", shown(text), low, high));
  }
  return value;
}

Result<std::int64_t> parse_permille(std::string_view text, std::int64_t low, std::int64_t high) {
  const Result<std::int64_t> value = scale_decimal(text, 1000, 1);
  if (value && *value >= low && *value <= high) return value;
  return base::fail(fmt::format("{} is not a number in {}..{} with at most three decimals",
                                shown(text), print_permille(low), print_permille(high)));
}

std::string print_bytes(base::Bytes value) { return print_units(value.value(), UnitKind::kBytes); }

std::string print_rate(base::BytesPerSecond value) {
  return print_units(value.value(), UnitKind::kRate);
}

std::string print_bit_rate(base::BytesPerSecond value) {
  return print_units(value.value(), UnitKind::kRate, true);
}

std::string print_power(base::Watts value) { return print_units(value.value(), UnitKind::kPower); }

std::string print_duration(base::Duration value) {
  return print_units(value.value(), UnitKind::kDuration);
}

std::string print_bytes_per_step(base::Bytes value) {
  return print_units(value.value(), UnitKind::kBytesPerStep);
}

std::string print_operations(base::Operations value) {
  return print_units(value.value(), UnitKind::kOperations);
}

std::string print_cores(base::CpuMilli value) {
  return print_units(value.value(), UnitKind::kCores);
}

std::string print_share(base::GpuMilli value) {
  return print_units(value.value(), UnitKind::kShare);
}

std::string print_node_count(std::int64_t nodes) {
  return fmt::format("{} {}", nodes, nodes == 1 ? "node" : "nodes");
}

std::string print_permille(std::int64_t permille) {
  std::string text = fmt::format("{}", permille / 1000);
  if (permille % 1000 == 0) return text;
  text += fmt::format(".{:03}", permille % 1000);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace headroom::formats
