// Demand: a request as one node shape sees it, resolved once so that placing is integer comparisons
// only: an amount of GPU memory has become a share, a profile name its number in the model's table,
// and labels, models and sizes that can never match have become `possible = false`.
#pragma once

#include <cstdint>

#include "base/quantity.h"
#include "model/cluster.h"
#include "model/request.h"
#include "schedule/mig_table.h"
#include "schedule/node_state.h"

namespace headroom::schedule {

struct Demand {
  enum class Kind : std::uint8_t { kNone, kWhole, kShare, kMig };

  bool possible = false;  // an empty node of this shape could run it
  Kind kind = Kind::kNone;
  bool exclusive = false;
  bool media = false;        // kMig: wants the media engines
  std::uint8_t slices = 0;   // kMig: memory slices covered
  std::uint8_t profile = 0;  // kMig: number in the model's table
  std::int16_t count = 0;    // GPUs touched
  std::int16_t milli = 0;    // of each GPU touched (kWhole: 1000; kMig: its slices' part)
  base::CpuMilli cpu;
  base::Bytes memory;

  std::int64_t gpu_milli() const { return std::int64_t{count} * milli; }
};

// Resolves `request` for nodes of `shape`; `cluster` gives the GPU models.
Demand resolve(const model::Request& request, const model::NodeShape& shape,
               const model::Cluster& cluster);

// True when the GPU has room for one unit of the demand (kNone never asks).
inline bool device_fits(Device gpu, const Demand& demand, const MigTable* mig) {
  if (demand.kind == Demand::Kind::kMig) {
    if (!gpu.is_idle() && !gpu.is_mig()) return false;
    if (demand.media && gpu.media_taken()) return false;
    return mig->start(demand.profile, gpu.used_slices()) != MigTable::kNoStart;
  }
  return gpu.shareable_milli() >= demand.milli;
}

// True when some GPU of the node has room for the MIG instance.
bool mig_fits(const NodeState& node, const Demand& demand, const MigTable* mig);

// True when the node can take the task now. O(1); O(GPUs of the node) for MIG.
inline bool fits(const NodeState& node, const Demand& demand, const MigTable* mig) {
  if (!demand.possible || demand.cpu > node.cpu || demand.memory > node.memory) return false;
  if (!node.schedulable || node.exclusive || (demand.exclusive && node.tasks > 0)) return false;
  switch (demand.kind) {
    case Demand::Kind::kNone:
      return true;
    case Demand::Kind::kWhole:
      return node.idle_gpus >= demand.count;
    case Demand::Kind::kShare:
      return node.largest_share >= demand.milli;
    case Demand::Kind::kMig:
      return mig_fits(node, demand, mig);
  }
  return false;
}

}  // namespace headroom::schedule
