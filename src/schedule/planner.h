// Planner: where and when blocked jobs will start: reservations in one cycle, on one time profile.
//
// A job keeps the nodes it was promised unless others are free much earlier: plans that jump from
// node to node never let one run empty. Its own nodes becoming free later than expected is nobody's
// doing; other nodes, and later, means that somebody was put before it: that is a slip.
//
//   place   O(nodes)
//   plan    O(nodes x log of the ends in the profile)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedule/gang.h"
#include "schedule/profile.h"

namespace headroom::schedule {

// The placements that waiting jobs were promised, kept from cycle to cycle.
class Promises {
 public:
  // Of the job that waits in this slot; empty: nothing yet.
  model::Placement& of(const State& state, JobSlot slot);

 private:
  struct Promise {
    model::JobId job;
    model::Placement placement;
  };
  std::vector<Promise> promises_;  // by job slot
};

struct Reservation {
  base::Time start;
  model::Placement placement;
  bool slipped = false;  // moved back by another's doing
  bool moved = false;    // to other nodes than before, or the first
};

class Planner {
 public:
  // All three must outlive the planner.
  Planner(const State& state, const Placement& placement, Promises& promises)
      : state_(state), placement_(placement), promises_(promises), profile_(state) {}

  // Tasks start now, until `end`.
  void started(const JobSpec& spec, const model::Placement& placed, base::Time end);

  // No claim or window touches these nodes.
  bool keeps_off(const model::Placement& placed) const;

  // Where the tasks go now so that they keep off what is reserved until `end`.
  // `closed`, by node: where they may not start, besides.
  std::optional<model::Placement> place(const GangWish& wish, base::Time end,
                                        const std::vector<bool>& closed = {}) const;

  // Reserves for the wish at the first time at which it fits; nothing if it does not until
  // `latest`. Jobs with equal keys ask for the same, and may use the same nodes.
  std::optional<Reservation> plan(JobSlot slot, const GangWish& wish, std::uint64_t key,
                                  base::Time latest = kNever);

 private:
  base::Time refused_until(std::uint64_t key, base::Duration time) const;
  void refuse(std::uint64_t key, base::Duration time, base::Time end);
  base::Time promised_start(const JobSpec& spec, const model::Placement& kept, const JobEntry& job,
                            std::span<const base::Time> ends, std::size_t first) const;
  std::size_t count_much_earlier(std::span<const base::Time> ends, base::Time start) const;
  bool fits_at(const JobSpec& spec, const model::Placement& placed, base::Time from,
               base::Time to) const;

  const State& state_;
  const Placement& placement_;
  Promises& promises_;
  Profile profile_;
  // In a cycle room only shrinks: where a request did not fit, an equal one that runs as long or
  // longer does not fit either, nor before. By key and run time, the latest end of those.
  std::map<std::pair<std::uint64_t, base::Duration>, base::Time> refused_;
};

}  // namespace headroom::schedule
