// Submissions: the jobs of a history as events: how the scheduler is told of them, and of how they
// ended.
//
// Jobs get the numbers 1, 2, … in the order of the history. A dependency on a job that the history
// does not have, or that comes later in it, is left out.
#pragma once

#include <cstdint>
#include <map>

#include "model/event.h"
#include "model/history.h"

namespace headroom::simulate {

constexpr model::JobId id_of(std::uint32_t job) { return {std::int64_t{job} + 1, -1}; }
constexpr std::uint32_t job_of(model::JobId id) {
  return static_cast<std::uint32_t>(id.number - 1);
}

class Submissions {
 public:
  // The history must outlive it.
  explicit Submissions(const model::History& history);

  model::JobSubmitted submitted(std::uint32_t job) const;

  // How a run to the end ends.
  model::AllocationEnded::Outcome outcome(std::uint32_t job) const;

 private:
  const model::History& history_;
  std::map<std::int64_t, std::uint32_t> index_of_number_;
};

}  // namespace headroom::simulate
