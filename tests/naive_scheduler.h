// NaiveScheduler: the placements once more, as plainly as they can be written: every node and every
// GPU is looked at for every task, nothing is cached, what is free is worked out from what runs. It
// shares with the scheduler only the model, the MIG preference (mig_table.h) and the prices that
// the placement `headroom` has learned (node_worth.h), so that the two can be compared decision by
// decision.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "model/cluster.h"
#include "model/request.h"
#include "schedule/headroom_placement.h"
#include "schedule/placer.h"
#include "schedule/task_mix.h"

namespace headroom::tests {

class NaiveScheduler {
 public:
  NaiveScheduler(std::shared_ptr<const model::Cluster> cluster, std::vector<model::NodeId> order,
                 std::string placement, const schedule::TaskMix& mix);

  // A task arrives: what the placement learns of it.
  void arrived(const model::Request& request);
  std::optional<schedule::Choice> choose(const model::Request& request, base::Rng& rng) const;
  void place(schedule::TaskId task, const model::Request& request, const schedule::Choice& choice);
  void release(schedule::TaskId task);
  void set_schedulable(model::NodeId node, bool schedulable);

  // What runs, by task: enough to build the same state anew.
  struct Running {
    model::Request request;
    schedule::Choice choice;
  };
  const std::map<schedule::TaskId, Running>& running() const { return running_; }

  // A new state in which only what runs now was ever placed.
  schedule::ClusterState rebuilt() const;

  // Expected fragment of the whole cluster, times the number of tasks in the typical classes.
  std::int64_t fragment() const;

 private:
  // One node as it is now: free CPU and memory, and each GPU's free milli or MIG slices.
  struct Gpu {
    bool mig = false;
    bool media = false;
    int free = 1000;    // milli; of no meaning in MIG mode
    unsigned used = 0;  // MIG slices
  };
  struct Room {
    std::int64_t cpu;
    std::int64_t memory;
    std::vector<Gpu> gpus;
    std::vector<int> sizes;  // of its GPU tasks: 0 a part of a GPU, k whole GPUs
    std::size_t tasks = 0;
    bool exclusive = false;
  };
  struct Option {
    double score;
    schedule::DeviceChoice devices;
  };

  const model::NodeShape& shape(model::NodeId node) const { return cluster_->shape(node); }
  const model::GpuModel* gpu_model(model::NodeId node) const;
  Room room(model::NodeId node) const;
  int share_asked(const model::Request& request, model::NodeId node) const;
  bool gpu_fits(const Gpu& gpu, const model::Request& request, model::NodeId node) const;
  bool fits(const Room& room, const model::Request& request, model::NodeId node) const;
  bool has_room(const Room& room, const model::Request& request, model::NodeId node) const;
  void take(Room& room, const model::Request& request, const schedule::DeviceChoice& devices,
            model::NodeId node) const;
  std::vector<schedule::DeviceChoice> options(const Room& room, const model::Request& request,
                                              model::NodeId node) const;
  schedule::DeviceChoice tightest(const Room& room, const model::Request& request,
                                  model::NodeId node, bool roomiest) const;
  Option best_option(const Room& room, const model::Request& request, model::NodeId node) const;
  double score(const Room& room, const model::Request& request,
               const schedule::DeviceChoice& devices, model::NodeId node) const;
  std::int64_t fragment(const Room& room, model::NodeId node) const;
  double packing(const Room& room, const schedule::DeviceChoice& devices, model::NodeId node) const;
  static double clustering(const Room& room, int own, double base);
  std::int64_t worth(const Room& room, model::NodeId node) const;
  double idle(const Gpu& gpu, model::NodeId node) const;
  double idle(const Room& room, model::NodeId node) const;

  std::shared_ptr<const model::Cluster> cluster_;
  std::vector<model::NodeId> order_;
  std::string placement_;
  schedule::TaskMix classes_;
  std::vector<schedule::MigTable> mig_;  // by GPU model
  std::unique_ptr<schedule::HeadroomPlacement>
      learned_;  // the prices of `headroom` and `headroom_learned`
  std::map<schedule::TaskId, Running> running_;
  std::vector<bool> schedulable_;
};

}  // namespace headroom::tests
