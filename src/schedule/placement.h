// Placement: the rule that says which node and which GPUs a task should get. One rule a file.
//
// A placement only scores: whether a task fits is decided before it is asked (demand.h), and which
// node has the highest score is found by an index (placer.h). So a rule must answer from the node's
// own state and from what it was told before, never from other nodes: then its scores can be kept
// until the node changes. If something else changes its scores (learned frequencies), it raises
// `epoch`, after which every kept score is void.
//
//   rule      the node with the highest score wins
//   tie-break the node that comes first in the placer's order; GPUs by lowest index
#pragma once

#include <cstdint>
#include <limits>

#include "base/rng.h"
#include "model/cluster.h"
#include "schedule/demand.h"
#include "schedule/devices.h"
#include "schedule/mig_table.h"
#include "schedule/node_state.h"
#include "schedule/request_table.h"

namespace headroom::schedule {

class ClusterState;

// Fixed point, so that a digest does not depend on how a floating-point sum was rounded.
using Score = std::int32_t;
constexpr Score kNoFit = std::numeric_limits<Score>::min();

// A node that can take the task, as a placement sees it.
struct Candidate {
  const NodeState& node;
  const model::NodeShape& shape;
  model::ShapeId shape_id;
  const Demand& demand;
  RequestId request;
  const MigTable* mig;  // nullptr: no MIG

  int gpus() const { return shape.gpus; }
};

class Placement {
 public:
  virtual ~Placement() = default;

  // Higher is better.
  virtual Score score(const Candidate& candidate) const = 0;

  // The GPUs on the node that was chosen.
  virtual DeviceChoice devices(const Candidate& candidate, base::Rng& rng) const = 0;

  // Nodes came, went or have another shape. For rules that know the cluster's sizes.
  virtual void cluster_changed(const model::Cluster&) {}

  // A task with this request has arrived, whether it will fit or not. For rules that learn.
  virtual void arrived(const ClusterState&, RequestId) {}

  // Raised when scores given earlier no longer hold.
  virtual std::uint64_t epoch() const { return 0; }

  // True: any node that fits will do, each with the same chance; scores are not asked for.
  virtual bool uniform() const { return false; }
};

}  // namespace headroom::schedule
