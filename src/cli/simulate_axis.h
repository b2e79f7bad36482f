// Times as the page of `headroom simulate` writes them: where an axis has ticks and what they say,
// and lengths of time in few characters.
#pragma once

#include <string>
#include <vector>

#include "base/quantity.h"

namespace headroom::cli {

struct Tick {
  double at = 0;      // seconds from the first
  std::string label;  // "2 Nov", "2 Nov 06:00" in UTC
};

// Whether these are dates: traces that begin near 1970 count from a beginning of their own.
bool is_dated(base::Time first);

// At most eight, at round times. Where there are no dates, labels say how long after the first.
std::vector<Tick> ticks_of(base::Time first, base::Time last);

// "2 Nov 06:00", or "3 d 6 h" from `first` on where there are no dates.
std::string moment(base::Time first, base::Time at);

// "45 s", "12 min", "3.4 h", "2.1 d"
std::string short_time(double seconds);

}  // namespace headroom::cli
