// TimeZone: what a time of day without a zone means. A fixed offset from UTC, or a zone of the time
// zone database by its IANA name, read from /usr/share/zoneinfo (RFC 8536; transitions up to 2037,
// after the last the same offset goes on).
//
//   auto zone = TimeZone::find("Europe/Berlin");
//   zone->to_utc(local)        // local: the wall clock's reading, as if it were UTC
//
// A reading that the clock shows twice is the first of the two; one that it skips is taken as if it
// had not yet been put forward.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"

namespace headroom::formats {

class TimeZone {
 public:
  TimeZone() = default;  // UTC

  // "UTC", "Z", "+02:00", "-0930" or an IANA name. Error: what is allowed.
  static base::Result<TimeZone> find(const std::string& name);

  // From the contents of a zone's file. Error: what is wrong with it.
  static base::Result<TimeZone> parse(std::string_view file);

  base::Time to_utc(base::Time local) const;

 private:
  struct Transition {
    std::int64_t at = 0;      // seconds, UTC
    std::int64_t offset = 0;  // seconds east of UTC from then on
  };
  std::int64_t first_offset_ = 0;  // before the first transition
  std::vector<Transition> transitions_;
};

}  // namespace headroom::formats
