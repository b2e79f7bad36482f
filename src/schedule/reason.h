// Reason: why a job does not run, with numbers; words are made where it is shown.
#pragma once

#include <cstdint>

#include "base/quantity.h"
#include "schedule/job_entry.h"

namespace headroom::schedule {

struct Reason {
  enum class Kind : std::uint8_t {
    kNone,         // not looked at yet
    kCapacity,     // the pool has less free than it needs
    kFragments,    // enough is free, in pieces that do not suit it
    kTopology,     // it would fit, but not within the domains it wants
    kReservation,  // it would fit, but delay a job that holds a reservation
    kWindow,       // nodes are reserved or under maintenance before it would end
    kQueueLimit,   // a queue above it would exceed its limit
    kUserLimit,    // its user has as much as one user may have in the queue
    kGuarantee,    // cannot be preempted, so it runs within guarantees only
    kArrayLimit,   // as many elements of its array run as may at a time
    kOrder,        // the policy takes jobs strictly in order
  };

  Kind kind = Kind::kNone;
  PoolId pool;
  std::int64_t needs = 0;  // thousandths of the pool's unit
  std::int64_t has = 0;    // free, or what the limit leaves
  QueueId queue;           // whose limit or guarantee
  JobSlot holder;          // whose reservation, or who is first
};

constexpr std::size_t kReasons = 11;  // kinds

}  // namespace headroom::schedule
