// Clearing: which running jobs to stop so that a waiting one can start, proved by placing it. All
// on copies: nothing really changes. What one job takes, and what was stopped for it, holds for
// those after it, so that the next cycle finds room for all of them. A gang takes its minimum.
//
// Rule   Of the candidates, in the order given, as many as the job needs (more room never hurts, so
//        by doubling and halving). Then those that do not touch the nodes that it would get are
//        let go, and of the rest each, the last first, without which it fits as well.
// Cost   O(nodes) for a trial; O(log candidates + victims) trials for a job that gets room.
#pragma once

#include <optional>
#include <vector>

#include "schedule/best_fit.h"
#include "schedule/gang.h"
#include "schedule/state.h"

namespace headroom::schedule {

class Clearing {
 public:
  explicit Clearing(const State& state);

  // Whether the waiting job fits as things are. If so, it takes its room.
  bool fits(JobSlot job, const PoolOption& option);

  // The candidates to stop so that the job fits; it takes its room. nullopt: not even with all.
  std::optional<std::vector<JobSlot>> make_room(JobSlot job, const PoolOption& option,
                                                const std::vector<JobSlot>& candidates);

 private:
  using Rooms = std::vector<NodeState>;  // by node

  void vacate(Rooms& rooms, JobSlot running) const;
  bool touches(JobSlot running, const model::Placement& placed) const;
  std::optional<model::Placement> place(const Rooms& rooms, JobSlot job,
                                        const PoolOption& option) const;
  // As it is with the first `count` candidates gone.
  Rooms without(const std::vector<JobSlot>& candidates, std::size_t count) const;
  void take(JobSlot job, const model::Placement& placed);

  const State& state_;
  BestFit placement_;
  Rooms rooms_;
};

}  // namespace headroom::schedule
