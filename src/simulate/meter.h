// Meter: sums up the GPU time of a replay (GpuTime of replay.h) and takes its samples
// and its timeline.
//
//   advance(now)      before anything changes at `now`
//   touched(node)     after tasks or the state of a node changed
//   cycled(…)         after a cycle: why jobs wait from here on
//
// Cost   advance O(pools), touched O(GPUs of the node), cycled O(pools) and, where several pools
//        wait or a sample is due, O(waiting jobs).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/fragmentation.h"
#include "schedule/scheduler.h"
#include "schedule/state.h"
#include "simulate/replay.h"

namespace headroom::simulate {

class Meter {
 public:
  // The state must outlive the meter.
  Meter(const ReplayInput& input, const schedule::State& state);

  void start(base::Time first);
  void advance(base::Time now);
  void touched(model::NodeId node);
  void cycled(const schedule::Scheduler& scheduler);

  const GpuTime& so_far() const { return sum_; }
  std::vector<Sample> take_samples() { return std::move(samples_); }
  Timeline take_timeline() { return std::move(timeline_); }

 private:
  struct NodeFigures {
    std::int64_t idle = 0;      // milli; 0 on a node that has failed
    std::int64_t unusable = 0;  // times the weight of the classes
    std::int32_t windows = 0;   // active reservations and maintenance
  };
  struct WindowEdge {
    base::Time time;
    std::size_t window;
    bool opens;
  };
  struct PoolFigures {
    std::int64_t idle = 0;
    std::int64_t idle_in_windows = 0;
    std::optional<Cause> cause;  // of the first job that waits for it
  };

  void add(const NodeFigures& node, schedule::PoolId pool, std::int64_t sign);
  void set_window(const model::ReservationChanged& window, std::int32_t change);
  void integrate(std::int64_t step);
  Cause cause_in(schedule::PoolId pool, const schedule::Scheduler& scheduler) const;
  void sample(const schedule::Scheduler& scheduler);

  const ReplayInput& input_;
  const schedule::State& state_;
  schedule::Fragmentation fragmentation_;
  std::vector<NodeFigures> nodes_;
  std::vector<PoolFigures> pools_;  // those with GPUs
  std::int64_t unusable_ = 0;       // of all nodes, times the weight
  std::vector<WindowEdge> edges_;   // by time
  std::size_t next_edge_ = 0;
  base::Time now_;
  GpuTime sum_;
  Timeline timeline_;
  std::vector<Sample> samples_;
  base::Time next_sample_;
  base::Duration sample_every_{60'000};
};

}  // namespace headroom::simulate
