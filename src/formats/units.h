// The units that quantities are written in, as a table, and exact decimal arithmetic on them. Used
// by quantity.cc alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::formats {

enum class UnitKind : std::uint8_t {
  kBytes,
  kRate,
  kPower,
  kDuration,
  kBytesPerStep,
  kOperations,
  kCores,
  kShare,
  kNodes
};

// One unit is numerator / denominator base units.
struct Unit {
  UnitKind kind;
  std::string name;
  std::int64_t numerator;
  std::int64_t denominator = 1;
  bool bits = false;  // for printing: a rate in bits
};

const std::vector<Unit>& all_units();

// "a size", "a rate", … with article, for messages.
std::string kind_name(UnitKind kind);

// A number with a unit of this kind, in base units (>= 0). `example` ends the message of an error.
base::Result<std::int64_t> parse_units(std::string_view text, UnitKind kind,
                                       std::string_view example);

// The shortest "number unit" that is exactly `value` base units. `bits` chooses among rates.
std::string print_units(std::int64_t value, UnitKind kind, bool bits = false);

// The decimal number `text` times numerator / denominator, if that is whole and fits.
base::Result<std::int64_t> scale_decimal(std::string_view text, std::int64_t numerator,
                                         std::int64_t denominator);

}  // namespace headroom::formats
