#include "simulate/cause.h"

namespace headroom::simulate {

Cause cause_of(schedule::Reason::Kind reason) {
  using Kind = schedule::Reason::Kind;
  switch (reason) {
    case Kind::kNone:  // not looked at: nothing of its pool was free any more
    case Kind::kCapacity:
      return Cause::kCapacity;
    case Kind::kFragments:
      return Cause::kFragmentation;
    case Kind::kTopology:
      return Cause::kTopology;
    case Kind::kReservation:
      return Cause::kReservation;
    case Kind::kWindow:
      return Cause::kWindow;
    case Kind::kQueueLimit:
    case Kind::kUserLimit:
    case Kind::kGuarantee:
    case Kind::kArrayLimit:
      return Cause::kQuota;
    case Kind::kOrder:
      return Cause::kOrder;
  }
  return Cause::kCapacity;
}

}  // namespace headroom::simulate
