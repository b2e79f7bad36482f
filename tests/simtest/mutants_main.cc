// headroom-simtest-mutants: is every planted fault (schedule/mutants.h) found?
//
//   headroom-simtest --mutants --seeds 1-1000 [--mutant NAME]
//
// Each mutant lives in a process of its own, because some run into an assertion. Prints the first
// seed that finds it, and the checker that does. Exit 1: one is not found.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "schedule/mutants.h"
#include "tests/simtest/seeds.h"

namespace headroom::simtest {

namespace {

using schedule::Mutant;

struct Planted {
  Mutant mutant;
  const char* name;
};

constexpr std::array kMutants = {
    Planted{Mutant::kLimitOffByOne, "limit-off-by-one"},
    Planted{Mutant::kUserLimitIgnored, "user-limit-ignored"},
    Planted{Mutant::kArrayLimitIgnored, "array-limit-ignored"},
    Planted{Mutant::kFirmAbovePromise, "firm-above-promise"},
    Planted{Mutant::kChargeNotReleased, "charge-not-released"},
    Planted{Mutant::kFailedNodeCounted, "failed-node-counted"},
    Planted{Mutant::kGangBelowMinimum, "gang-below-minimum"},
    Planted{Mutant::kGraceForgotten, "grace-forgotten"},
    Planted{Mutant::kDoneForgotten, "done-forgotten"},
    Planted{Mutant::kTopologyIgnored, "topology-ignored"},
    Planted{Mutant::kReplacedAnywhere, "replaced-anywhere"},
    Planted{Mutant::kHoldIgnored, "hold-ignored"},
    Planted{Mutant::kDependencyIgnored, "dependency-ignored"},
    Planted{Mutant::kBeginIgnored, "begin-ignored"},
    Planted{Mutant::kDrainIgnored, "drain-ignored"},
    Planted{Mutant::kWindowIgnored, "window-ignored"},
    Planted{Mutant::kExclusiveIgnored, "exclusive-ignored"},
    Planted{Mutant::kMigSlotOverlap, "mig-slot-overlap"},
    Planted{Mutant::kReservationIgnored, "reservation-ignored"},
    Planted{Mutant::kSlipNotCounted, "slip-not-counted"},
    Planted{Mutant::kProtectedTwice, "protected-twice"},
    Planted{Mutant::kRequeueLosesAge, "requeue-loses-age"},
    Planted{Mutant::kAttemptReused, "attempt-reused"},
    Planted{Mutant::kTimeLimitIgnored, "time-limit-ignored"},
    Planted{Mutant::kUndoForgetsCores, "undo-forgets-cores"},
    Planted{Mutant::kUnstableChoice, "unstable-choice"},
    Planted{Mutant::kWakeupForgotten, "wakeup-forgotten"},
    Planted{Mutant::kRefusalForAll, "refusal-for-all"},
    Planted{Mutant::kCheckTakesOldAttempt, "check-takes-old-attempt"},
    Planted{Mutant::kCellsLent, "cells-lent"},
    Planted{Mutant::kRemovedNodeCounted, "removed-node-counted"},
    Planted{Mutant::kQueueForgetsHeld, "queue-forgets-held"},
    Planted{Mutant::kCutLosesNothing, "cut-loses-nothing"},
    Planted{Mutant::kNeverLooksOnce, "never-looks-once"},
    Planted{Mutant::kSnapshotForgetsCancel, "snapshot-forgets-cancel"},
    Planted{Mutant::kSnapshotForgetsLoss, "snapshot-forgets-loss"},
    Planted{Mutant::kSnapshotForgetsOwner, "snapshot-forgets-owner"},
};

constexpr unsigned kMostSeconds = 300;  // of one mutant

// What a mutant's process leaves behind, also when it aborts.
struct Found {
  std::uint64_t seed;
  bool finished;  // all seeds were lived
  char checker[32];
  char text[160];
};

[[noreturn]] void live_as(Mutant mutant, const std::vector<Seed>& seeds, Found& found) {
  alarm(kMostSeconds);
  if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(3);
  schedule::planted = mutant;
  for (const Seed& seed : seeds) {
    found.seed = seed.number;
    std::snprintf(found.checker, sizeof found.checker, "assertion");
    const LifeResult result = live_twice(seed, false);
    if (!result.findings.any()) continue;
    schedule::planted = Mutant::kNone;
    if (live_twice(seed, false).findings.any()) _exit(4);  // not the mutant's doing
    std::snprintf(found.checker, sizeof found.checker, "%s", result.findings.checker().c_str());
    std::snprintf(found.text, sizeof found.text, "%s", result.findings.text().c_str());
    _exit(0);
  }
  found.finished = true;
  _exit(0);
}

// True when it was found.
bool hunt(const Planted& planted, const std::vector<Seed>& seeds) {
  void* shared =
      mmap(nullptr, sizeof(Found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return false;
  Found& found = *new (shared) Found{};
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) live_as(planted.mutant, seeds, found);
  int status = 0;
  const bool waited = child > 0 && waitpid(child, &status, 0) == child;
  // An assertion finds it as well; no other signal does.
  const bool aborted = waited && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  const bool ended = waited && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const bool caught = aborted || (ended && !found.finished);
  if (caught) {
    fmt::print("{:24} seed {:<6} {:14} {}\n", planted.name, found.seed, found.checker, found.text);
  } else {
    const char* why = ended ? "" : ": the process did not end well, or fails without it too";
    fmt::print("{:24} NOT FOUND{}\n", planted.name, why);
  }
  munmap(shared, sizeof(Found));
  return caught;
}

int run(int count, char** texts) {
  std::string range;
  std::string only;
  bool understood = count % 2 == 0;
  for (int i = 2; i + 1 < count; i += 2) {
    const std::string flag = texts[i];
    if (flag == "--seeds") range = texts[i + 1];
    if (flag == "--mutant") only = texts[i + 1];
    understood = understood && (flag == "--seeds" || flag == "--mutant");
  }
  const auto seeds = seeds_of(range, "");
  if (!understood || !seeds || seeds->empty()) {
    std::fputs("usage: headroom-simtest --mutants --seeds A-B [--mutant NAME]\n", stderr);
    return 2;
  }
  std::size_t hunted = 0;
  std::size_t caught = 0;
  for (const Planted& planted : kMutants) {
    if (!only.empty() && only != planted.name) continue;
    ++hunted;
    caught += hunt(planted, *seeds) ? 1 : 0;
  }
  fmt::print("{} of {} planted faults found\n", caught, hunted);
  return hunted > 0 && caught == hunted ? 0 : 1;
}

}  // namespace

}  // namespace headroom::simtest

int main(int count, char** texts) { return headroom::simtest::run(count, texts); }
