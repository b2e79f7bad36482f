// Checks: what must hold after each cycle, from the book alone.
//
//   limits        of queues and users, after every start; what cannot be preempted stays promised
//   domains       required domains and segments
//   gangs         0 or at least the minimum, but for a grace after losses; no run beyond its limit
//   order         who is first in order and asks for the same, starts first; under `fifo` nobody
//                 starts before another who waits for the same pool
//   conservation  nothing legal waits beside room for it that no reservation needs
//   reservations  can be kept, with all that the cycle started; a protected one is never delayed
//   rejections    only of jobs that the empty cluster could not run
//   cells         what cannot be preempted leaves as many domains whole as are promised
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/simtest/book.h"
#include "tests/simtest/cells.h"
#include "tests/simtest/law.h"

namespace headroom::simtest {

class Checks {
 public:
  Checks(const Book& book, Findings& findings);

  void before_cycle();
  // The scheduler knows the state and nothing else.
  void restarted();
  // The plans of the cycles before are forgotten: another scheduler, or other nodes.
  void forget_plans() { forgotten_in_ = book_.cycle(); }
  // Each decision, after the book has read it.
  void decided(const model::Decision& decision);
  void after_cycle(bool done);  // false: the scheduler wants another cycle at once

 private:
  void started(const BookJob& job, bool again);
  void rejected(const BookJob& job);
  void cells(const BookJob& started);
  void gangs();
  void order();
  void twins(const BookJob& started);
  void fifo(const BookJob& started);
  void conservation();
  bool wave_under_way() const;
  bool room_beside_promises(const BookJob& job, const Option& option) const;
  void promises();
  void protection();
  const BookJob* protected_job() const;
  std::string pool_of(const Promise& promise) const;

  // Empty if the tasks of the promise fit when it begins, what runs ending when it is expected to.
  std::string broken_promise(const BookJob& job, const std::vector<const BookJob*>& claims) const;

  const Book& book_;
  Findings& findings_;
  Law law_;
  std::vector<model::JobId> started_;                              // new attempts of this cycle
  std::set<std::pair<model::JobId, std::string>> allowed_before_;  // fifo: by job and pool
  Shortages short_;                                                // of cells, so far
  std::uint64_t forgotten_in_ = 0;       // what was planned in this cycle and before is forgotten
  bool replaced_ = false;                // members of gangs were, in this cycle
  std::vector<model::JobId> protected_;  // in the order in which they came to be
  struct Kept {
    model::JobId job;
    base::Time start;
  };
  std::optional<Kept> kept_;  // a protected promise that could be kept before the cycle
};

// The order of jobs that wait: by priority, then age, then id.
bool earlier(const BookJob& a, const BookJob& b);

}  // namespace headroom::simtest
