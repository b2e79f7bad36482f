// Life: everything that happens at one site from its first job to its last, from one seed: jobs
// arrive, run, fail, are held, changed and cancelled; nodes fail and come back; windows open and
// close; nodes and queues are added, changed and removed; engines are slow; in every second life
// the scheduler starts again now and then from what was written of its state. The scheduler is
// driven by records as a server drives it (check, apply, decide), and every cycle is checked
// (checks.h, audit.h).
//
// When nothing arrives any more and all nodes are back, every job must end: only the wake-ups that
// the scheduler asks for, and the ends of what runs, may be needed for that.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "schedule/state.h"
#include "tests/simtest/book.h"

namespace headroom::simtest {

struct LifeResult {
  Findings findings;
  std::uint64_t digest = 0;  // of the last state and of all decisions
  std::size_t events = 0;
  std::size_t faults = 0;
  std::size_t starts = 0;
  std::size_t promises = 0;
  std::size_t restarts = 0;
  std::string site;  // "headroom, best_fit, 31 nodes"
};

struct LifeOptions {
  std::string policy;    // empty: the seed picks one
  bool checks = true;    // false: only the digest
  bool journal = false;  // prints every record
  // Sees every record, and the state after it.
  std::function<void(const schedule::State&, const model::Record&)> watch = {};
};

LifeResult live(std::uint64_t seed, const LifeOptions& options);

}  // namespace headroom::simtest
