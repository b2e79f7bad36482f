// headroom, headroom_learned: our own placement. Place where the node's free resources lose the
// least worth (node_worth.h).
//
// Assumes  `headroom`: the mix of tasks is known (the whole list, as for fgd). `headroom_learned`:
//          only the tasks that have arrived are known; old ones count less.
// Rule     score = worth after - worth before. A share or MIG instance is tried on every GPU.
// Ties     first GPU, then first node in order.
// Epoch    when the tables are learned anew (learned: at 16, 32, 64, ... arrivals, then every two
//          times the cluster's GPUs) and when the CPU kept per GPU moves by more than 10 %.
//          `arrived` does both, so a trial that is undone leaves no trace here.
#pragma once

#include <map>

#include "schedule/demand_statistics.h"
#include "schedule/node_worth.h"
#include "schedule/placement.h"
#include "schedule/task_mix.h"

namespace headroom::schedule {

class HeadroomPlacement final : public Placement {
 public:
  enum class Knows { kWholeMix, kArrivals };

  // `mix` is used for kWholeMix only.
  HeadroomPlacement(const model::Cluster& cluster, const TaskMix& mix, Knows knows);

  Score score(const Candidate& candidate) const override;
  DeviceChoice devices(const Candidate& candidate, base::Rng& rng) const override;
  void cluster_changed(const model::Cluster& cluster) override;
  void arrived(const ClusterState& state, RequestId request) override;
  std::uint64_t epoch() const override { return epoch_; }

  const NodeWorth& node_worth() const { return worth_; }

 private:
  struct Best {
    std::int64_t score;
    DeviceChoice devices;
  };

  Best best(const Candidate& candidate) const;
  Best best_device(const Candidate& candidate) const;
  std::int64_t on_gpu(const Candidate& candidate, Device gpu) const;
  void learn(const ClusterState& state, RequestId request);

  Knows knows_;
  TaskMix mix_;  // of kWholeMix
  NodeWorth worth_;
  std::map<model::Request, double> counts_;  // of what has arrived; older tasks count less
  std::int64_t window_ = 0;  // arrivals after which tables are built anew, and older ones halved
  std::int64_t seen_ = 0;
  std::int64_t next_build_;
  std::uint64_t epoch_ = 0;
};

}  // namespace headroom::schedule
