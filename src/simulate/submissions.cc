#include "simulate/submissions.h"

#include <vector>

namespace headroom::simulate {

Submissions::Submissions(const model::History& history) : history_(history) {
  for (std::uint32_t i = 0; i < history.jobs.size(); ++i) {
    if (history.jobs[i].number > 0) index_of_number_[history.jobs[i].number] = i;
  }
}

model::JobSubmitted Submissions::submitted(std::uint32_t job) const {
  model::JobSubmitted event{.id = id_of(job), .job = history_.jobs[job].job, .speed_permille = {}};
  event.job.retries = 0;  // the history says how it ended in the end
  std::erase_if(event.job.after, [&](model::Dependency& one) {
    const auto found = index_of_number_.find(one.job);
    if (found == index_of_number_.end() || found->second >= job) return true;
    one.job = id_of(found->second).number;
    return false;
  });
  return event;
}

model::AllocationEnded::Outcome Submissions::outcome(std::uint32_t job) const {
  using Outcome = model::AllocationEnded::Outcome;
  switch (history_.jobs[job].outcome) {
    case model::Outcome::kTimedOut:
      return Outcome::kTimedOut;
    case model::Outcome::kFailed:
    case model::Outcome::kOutOfMemory:
      return Outcome::kFailed;
    default:
      return Outcome::kCompleted;
  }
}

}  // namespace headroom::simulate
