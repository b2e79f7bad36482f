// Points in time as ISO 8601 writes them: 2026-11-30, 2026-11-30T12:00Z, 2026-11-30T12:00:05+01:00.
// A time of day needs a zone (Z or an offset), so that a file means the same everywhere; a date
// alone is its midnight in UTC. Years 1970 to 9999.
#pragma once

#include <string>
#include <string_view>

#include "base/quantity.h"
#include "base/result.h"

namespace headroom::formats {

base::Result<base::Time> parse_time(std::string_view text);

// In UTC, to the second: 2026-11-30T12:00:00Z.
std::string print_time(base::Time time);

}  // namespace headroom::formats
