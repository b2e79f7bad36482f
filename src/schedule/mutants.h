// Mutants: faults planted on purpose, one at a time, to see that headroom-simtest finds them. They
// exist only where HEADROOM_MUTANTS is defined, in a second build of this folder for that program;
// elsewhere mutated() is false when compiled. Only in .cc files: headers are shared by both builds.
#pragma once

#include <cstdint>

namespace headroom::schedule {

enum class Mutant : std::uint8_t {
  kNone,
  kLimitOffByOne,          // a queue may hold one unit more than its limit
  kUserLimitIgnored,       // GPUs and running jobs of a user
  kArrayLimitIgnored,      // elements of an array that run
  kFirmAbovePromise,       // jobs that cannot be preempted take what is not promised
  kChargeNotReleased,      // a queue goes on holding what has ended
  kFailedNodeCounted,      // as capacity
  kGangBelowMinimum,       // one task fewer than its minimum
  kGraceForgotten,         // a gang that lost members keeps the rest for ever
  kDoneForgotten,          // tasks that completed do not count as served
  kTopologyIgnored,        // wherever there is room
  kReplacedAnywhere,       // members join in another domain
  kHoldIgnored,            // a held job is queued
  kDependencyIgnored,      // afterok is met by any end
  kBeginIgnored,           // begin times are in the past
  kDrainIgnored,           // drained nodes take tasks
  kWindowIgnored,          // maintenance and nodes kept for queues
  kExclusiveIgnored,       // others run beside a task that wants its node alone
  kMigSlotOverlap,         // an instance starts on slices in use
  kReservationIgnored,     // later jobs take what is kept
  kSlipNotCounted,         // nobody is ever protected
  kProtectedTwice,         // planned behind its own claim
  kRequeueLosesAge,        // a requeued job goes to the end
  kAttemptReused,          // a lost attempt does not count
  kTimeLimitIgnored,       // nobody is stopped
  kUndoForgetsCores,       // a trial leaves cores behind
  kUnstableChoice,         // another node every other time
  kWakeupForgotten,        // nobody looks again when time alone matters
  kRefusalForAll,          // one queue is refused what another was
  kCheckTakesOldAttempt,   // an event of an earlier attempt is taken
  kCellsLent,              // jobs that cannot be preempted start in promised cells
  kRemovedNodeCounted,     // as capacity, for ever; so is the larger one that a node was before
  kQueueForgetsHeld,       // what queues hold stays behind when they get other numbers
  kCutLosesNothing,        // tasks go on on a GPU that could not be cut
  kNeverLooksOnce,         // jobs that no node can run any more wait for ever
  kSnapshotForgetsCancel,  // a cancelled job that still stops is queued again
  kSnapshotForgetsLoss,    // failed nodes count as capacity again
  kSnapshotForgetsOwner,   // nodes kept for a queue are kept from it too
};

#ifdef HEADROOM_MUTANTS
extern Mutant planted;
inline bool mutated(Mutant mutant) { return planted == mutant; }
bool odd_call();  // of this function, since the program began
#else
constexpr bool mutated(Mutant) { return false; }
constexpr bool odd_call() { return false; }
#endif

}  // namespace headroom::schedule
