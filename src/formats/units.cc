#include "formats/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "formats/message.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Result;

namespace {

__extension__ using Wide = __int128;

struct Prefix {
  const char* decimal;
  const char* binary;
};
constexpr Prefix kPrefixes[] = {{"k", "Ki"}, {"M", "Mi"}, {"G", "Gi"},
                                {"T", "Ti"}, {"P", "Pi"}, {"E", "Ei"}};

void add_byte_units(std::vector<Unit>& units, UnitKind kind, const std::string& suffix) {
  units.push_back({kind, "B" + suffix, 1});
  std::int64_t decimal = 1;
  std::int64_t binary = 1;
  for (const Prefix& prefix : kPrefixes) {
    decimal *= 1000;
    binary *= 1024;
    units.push_back({kind, prefix.decimal + ("B" + suffix), decimal});
    units.push_back({kind, prefix.binary + ("B" + suffix), binary});
  }
}

std::vector<Unit> make_units() {
  std::vector<Unit> units;
  add_byte_units(units, UnitKind::kBytes, "");
  add_byte_units(units, UnitKind::kRate, "/s");
  add_byte_units(units, UnitKind::kBytesPerStep, "/step");
  std::int64_t bits = 1;
  for (const char* name : {"bps", "kbps", "Mbps", "Gbps", "Tbps"}) {
    units.push_back({UnitKind::kRate, name, bits, 8, true});
    bits *= 1000;
  }
  const std::vector<Unit> others = {{UnitKind::kPower, "W", 1},
                                    {UnitKind::kPower, "kW", 1000},
                                    {UnitKind::kPower, "MW", 1'000'000},
                                    {UnitKind::kDuration, "ms", 1},
                                    {UnitKind::kDuration, "s", 1000},
                                    {UnitKind::kDuration, "min", 60'000},
                                    {UnitKind::kDuration, "h", 3'600'000},
                                    {UnitKind::kDuration, "d", 86'400'000},
                                    {UnitKind::kOperations, "", 1},
                                    {UnitKind::kOperations, "k", 1000},
                                    {UnitKind::kOperations, "M", 1'000'000},
                                    {UnitKind::kOperations, "G", 1'000'000'000},
                                    {UnitKind::kCores, "", 1000},
                                    {UnitKind::kCores, "m", 1},
                                    {UnitKind::kShare, "m", 1},
                                    {UnitKind::kNodes, "nodes", 1},
                                    {UnitKind::kNodes, "node", 1}};
  units.insert(units.end(), others.begin(), others.end());
  return units;
}

std::vector<std::string> names_of(UnitKind kind) {
  std::vector<std::string> names;
  for (const Unit& unit : all_units()) {
    if (unit.kind == kind && !unit.name.empty()) names.push_back(unit.name);
  }
  return names;
}

const Unit* find_unit(std::string_view name, UnitKind kind) {
  for (const Unit& unit : all_units()) {
    if (unit.kind == kind && unit.name == name) return &unit;
  }
  return nullptr;
}

// Why `unit` cannot stand in `text` where `kind` is wanted.
std::string unit_problem(std::string_view text, std::string_view unit, UnitKind kind) {
  const std::vector<std::string> names = names_of(kind);
  if (unit.empty()) return fmt::format("{} has no unit (one of {})", shown(text), one_of(names));
  for (const Unit& other : all_units()) {
    if (other.name == unit && names_of(other.kind).size() > 2) {
      return fmt::format("{} is {}, not {}", shown(text), kind_name(other.kind), kind_name(kind));
    }
  }
  const std::string near = nearest(unit, names);
  const std::string help = near.empty() ? "one of " + one_of(names) : "did you mean " + near + "?";
  return fmt::format("{} has the unknown unit {} ({})", shown(text), shown(unit), help);
}

}  // namespace

const std::vector<Unit>& all_units() {
  static const std::vector<Unit> units = make_units();
  return units;
}

std::string kind_name(UnitKind kind) {
  switch (kind) {
    case UnitKind::kBytes:
      return "a size";
    case UnitKind::kRate:
      return "a rate";
    case UnitKind::kPower:
      return "a power";
    case UnitKind::kDuration:
      return "a duration";
    case UnitKind::kBytesPerStep:
      return "a size per step";
    case UnitKind::kOperations:
      return "a number of operations per second";
    case UnitKind::kCores:
      return "a number of cores";
    case UnitKind::kShare:
      return "a share of a GPU";
    case UnitKind::kNodes:
      return "a number of nodes";
  }
  return "";
}

Result<std::int64_t> scale_decimal(std::string_view text, std::int64_t numerator,
                                   std::int64_t denominator) {
  constexpr std::size_t kMostDigits = 19;  // as 2^63 has; times 2^60 they fit into 128 bits
  Wide digits = 0;
  Wide divisor = denominator;
  std::size_t count = 0;
  bool behind_point = false;
  bool last_was_digit = false;
  for (char c : text) {
    if (c == '.' && !behind_point && last_was_digit) {
      behind_point = true;
      last_was_digit = false;
      continue;
    }
    if (c < '0' || c > '9') return base::fail(shown(text) + " is not a number");
    if (++count > kMostDigits) return base::fail(shown(text) + " has more than 19 digits");
    digits = digits * 10 + (c - '0');
    if (behind_point) divisor *= 10;
    last_was_digit = true;
  }
  if (!last_was_digit) return base::fail(shown(text) + " is not a number");
  const Wide scaled = digits * numerator;
  if (scaled % divisor != 0)
    return base::fail(shown(text) + " is not a whole number of base units");
  const Wide value = scaled / divisor;
  if (value > std::numeric_limits<std::int64_t>::max()) {
    return base::fail(shown(text) + " is too large");
  }
  return static_cast<std::int64_t>(value);
}

Result<std::int64_t> parse_units(std::string_view text, UnitKind kind, std::string_view example) {
  const std::size_t split = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, split);
  std::string_view name = text.substr(split);
  if (name.size() > 1 && name.front() == ' ') name.remove_prefix(1);
  if (number.empty()) {
    return base::fail(
        fmt::format("{} is not {} (such as {})", shown(text), kind_name(kind), example));
  }
  const Unit* unit = find_unit(name, kind);
  if (unit == nullptr) return base::fail(unit_problem(text, name, kind));
  const Result<std::int64_t> value = scale_decimal(number, unit->numerator, unit->denominator);
  if (value) return value;
  return base::fail(
      fmt::format("{}: {} (such as {})", shown(text), value.error().message, example));
}

std::string print_units(std::int64_t value, UnitKind kind, bool bits) {
  const Unit* best = nullptr;
  Wide least = 0;
  for (const Unit& unit : all_units()) {
    if (unit.kind != kind || unit.bits != bits) continue;
    const Wide scaled = static_cast<Wide>(value) * unit.denominator;
    if (scaled % unit.numerator != 0) continue;
    const Wide number = scaled / unit.numerator;
    if (number > std::numeric_limits<std::int64_t>::max()) continue;
    if (best == nullptr || number < least) {
      best = &unit;
      least = number;
    }
  }
  if (best == nullptr && bits) return print_units(value, kind);
  HEADROOM_ASSERT(best != nullptr);  // every kind has a unit of one base unit
  return fmt::format("{}{}", static_cast<std::int64_t>(least), best->name);
}

}  // namespace headroom::formats
