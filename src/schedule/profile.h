// Profile: what will be free where, from now on: running jobs end when they are expected to,
// reserved jobs take what is kept for them, windows close nodes.
//
// Made anew in each cycle from the state; claims are added as jobs are planned. Of each node that
// is asked for it keeps a timeline: what is free from when on.
//
//   room    O(claims of the node in the span); the first time O(tasks of the node)
//   claim   O(steps of the node's timeline)
//   ends    the times at which something is expected to become free, ascending
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/room.h"
#include "schedule/state.h"

namespace headroom::schedule {

constexpr TaskId kTrialTask = -1;  // name of tasks that a cycle places for itself

// A job that runs longer than expected is expected to run as long again, but for five more minutes
// at least: run times are so spread that the median rest of a job is about what it has run already
// (docs/scheduling.md, "Measured").
base::Time expected_end(const JobEntry& job, base::Time now);

class Profile {
 public:
  explicit Profile(const State& state);

  // What is free on the node during all of [from, to), for a job of this queue. from >= now.
  NodeState room(model::NodeId node, base::Time from, base::Time to, QueueId queue) const;

  // The same for demands of whole GPUs or none: only counts are right, not single GPUs. Much
  // cheaper.
  NodeState counts(model::NodeId node, base::Time from, base::Time to, QueueId queue) const;

  // True when no claim or window touches the node: then what is free now stays free.
  bool untouched(model::NodeId node) const {
    return !claimed_[node.index()] && windows_of_[node.index()].empty();
  }

  // A planned job takes these GPUs of the node during [from, to).
  void claim(model::NodeId node, RequestId request, DeviceChoice devices, base::Time from,
             base::Time to);

  // A task starts now, in this cycle, and is in the state's cluster already.
  void started(model::NodeId node, RequestId request, DeviceChoice devices, base::Time end);

  // Index of the first of `ends` by which `amount` thousandths of the pool could be free, if it was
  // all in one piece: no earlier one needs to be looked at.
  std::size_t first_end_with(std::span<const base::Time> ends, PoolId pool,
                             std::int64_t amount) const;

  // Expected ends of what runs, of claims and of windows, after now, ascending, each time once.
  const std::vector<base::Time>& ends() const { return ends_; }

 private:
  // What is free on a node from `from` until the next step.
  struct Step {
    base::Time from;
    NodeState room;
    std::uint16_t idle = 0;  // bit by GPU
    bool shrinks = false;    // a claim begins here: less may be free than just before
  };
  using Timeline = std::vector<Step>;

  struct Started {
    base::Time end;
    RequestId request;
    DeviceChoice devices;
  };

  struct Release {
    base::Time time;
    PoolId pool;
    std::int64_t amount;  // thousandths
  };

  Timeline& timeline(model::NodeId node) const;
  static std::size_t step_at(const Timeline& steps, base::Time time);
  static std::size_t split(Timeline& steps, base::Time time);
  void take(model::NodeId node, RequestId request, DeviceChoice devices, base::Time from,
            base::Time to);
  void add_end(base::Time end);
  bool closed(model::NodeId node, base::Time from, base::Time to, QueueId queue) const;

  const State& state_;
  mutable std::vector<Timeline> timelines_;             // by node; empty: not asked for yet
  std::vector<std::vector<Started>> started_of_;        // by node: started in this cycle
  std::vector<bool> claimed_;                           // by node
  std::vector<Release> releases_;                       // of what runs, ascending
  std::vector<std::vector<std::uint32_t>> windows_of_;  // by node: into state.windows()
  std::vector<base::Time> end_of_job_;                  // by job slot; kNever: does not run
  std::vector<base::Time> ends_;                        // ascending, each once
};

}  // namespace headroom::schedule
