// Cause: what waiting is put down to in results: the scheduler's reasons (schedule/reason.h) in the
// fewer words that an operator can act on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "schedule/reason.h"

namespace headroom::simulate {

enum class Cause : std::uint8_t {
  kCapacity,       // less is free than is needed
  kFragmentation,  // enough is free, in pieces that do not suit
  kTopology,       // it would fit, but not within the domains wanted
  kReservation,    // it would delay a job that holds a reservation
  kWindow,         // nodes are reserved or under maintenance
  kQuota,          // a limit of the queue or user; or a guarantee that is used up
  kOrder,          // the policy takes jobs strictly in order
};
constexpr std::size_t kCauses = 7;

// How results spell them.
constexpr std::array<const char*, kCauses> kCauseNames = {
    "capacity", "fragmentation", "topology", "reservation", "window", "quota", "order"};

Cause cause_of(schedule::Reason::Kind reason);

}  // namespace headroom::simulate
