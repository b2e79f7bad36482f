// How values of documents are shown to people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.h"

namespace headroom::cli {

// "2026-11-30T12:00:00Z" as a time; none when it is not there or not a time.
std::optional<base::Time> time_of(std::string_view text);

// In the local time zone: "13:05:12" of today, "Nov 30 13:05" of this year, "2025-11-30" before.
std::string local_time(base::Time time, base::Time now);

// With both: "2026-11-30 13:05:12".
std::string full_local_time(base::Time time);

// Two units at most: "45s", "12m30s", "2h05m", "1d02h".
std::string short_duration(base::Duration duration);

base::Time now();

}  // namespace headroom::cli
