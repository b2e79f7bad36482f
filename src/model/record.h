// Record: one entry of the journal, an event or a decision. Replaying the records in their order
// gives the state; their order is total (time, then sequence).
#pragma once

#include <cstdint>
#include <variant>

#include "base/quantity.h"
#include "model/decision.h"
#include "model/event.h"

namespace headroom::model {

struct Record {
  std::uint64_t sequence = 0;  // 1, 2, 3, … without gaps
  base::Time time;             // never before the record before it
  std::variant<Event, Decision> what;
  friend bool operator==(const Record&, const Record&) = default;
};

}  // namespace headroom::model
