#include "store/usage.h"

#include <algorithm>

namespace headroom::store {

void add_parts(UsageParts& sum, const AttemptTimes& attempt, std::int64_t gpus, base::Time since,
               base::Time until) {
  const auto amount = [&](base::Time from, base::Time to) {
    const std::int64_t ms = std::min(to, until).value() - std::max(from, since).value();
    return ms > 0 ? gpus * ms : 0;
  };
  const base::Time none{0};
  const base::Time end = attempt.ended == none ? kOpen : attempt.ended;
  const base::Time worked_until = attempt.stopping == none ? end : attempt.stopping;
  const base::Time started = attempt.started == none ? worked_until : attempt.started;
  const std::int64_t allocated = amount(since, until);
  const std::int64_t worked = amount(started, worked_until);
  sum.allocated += allocated;
  sum.idle_held += allocated - worked;
  if (attempt.ended == none) {
    sum.running += worked;
    return;
  }
  const std::int64_t useful = amount(started, std::min(attempt.kept, worked_until));
  const std::int64_t lost = worked - useful;
  sum.useful += useful;
  switch (attempt.waste) {
    case Waste::kNone:
      sum.useful += lost;  // there is none
      break;
    case Waste::kPreempted:
      sum.preempted += lost;
      break;
    case Waste::kFailed:
      sum.failed += lost;
      break;
    case Waste::kCancelled:
      sum.cancelled += lost;
      break;
  }
}

}  // namespace headroom::store
