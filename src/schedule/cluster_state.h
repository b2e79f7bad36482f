// ClusterState: the cluster as the scheduler sees it now: immutable specifications, shared between
// copies, and flat arrays of what changes.
//
// Invariants: for every node, free + held by its allocations = its shape; an allocation is in
// exactly one node's list; a GPU is idle, shared or in MIG mode, never two of them.
//
//   copy      O(nodes + allocations), no pointers to chase: see docs/performance.md
//   place     O(1)
//   release   O(tasks of the node)
//   undo      O(changes since the mark); restores every index, so the digest is the same
//   digest    O(nodes + allocations); depends on what is held, not on how it came about
//
// A search tries things and takes them back:
//
//   const ClusterState::Mark mark = state.mark();
//   state.place(task, request, node, devices);
//   state.undo(mark);
//
// Every change of a node is stamped with a growing number, so that indexes outside the state
// (placer.h) learn what changed since they last looked, undone changes included.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/id.h"
#include "model/cluster.h"
#include "model/request.h"
#include "schedule/demand.h"
#include "schedule/devices.h"
#include "schedule/mig_table.h"
#include "schedule/node_state.h"
#include "schedule/request_table.h"

namespace headroom::schedule {

using AllocationId = base::Id<struct AllocationTag>;
using TaskId = std::int64_t;  // given by whoever submits; appears in the digest

struct Allocation {
  TaskId task = 0;
  model::NodeId node;  // none(): a free slot of the table
  RequestId request;
  std::int32_t next = -1;  // in the node's list; in the free list for a free slot
  std::int32_t previous = -1;
  DeviceChoice devices;
};

class ClusterState {
 public:
  explicit ClusterState(std::shared_ptr<const model::Cluster> cluster);

  const model::Cluster& cluster() const { return *cluster_; }
  const std::shared_ptr<const model::Cluster>& shared_cluster() const { return cluster_; }
  std::size_t node_count() const { return nodes_.size(); }
  const NodeState& node(model::NodeId id) const { return nodes_[id.index()]; }
  model::ShapeId shape_id(model::NodeId id) const { return model::ShapeId{node(id).shape}; }
  const model::NodeShape& shape(model::NodeId id) const { return cluster_->shapes[node(id).shape]; }
  // nullptr for a shape without MIG.
  const MigTable* mig_table(model::ShapeId id) const { return mig_of_shape_[id.index()]; }

  RequestId intern(const model::Request& request);
  const RequestTable& requests() const { return *requests_; }
  const Demand& demand(RequestId request, model::NodeId node) const {
    return requests_->demand(request, shape_id(node));
  }

  // What no task holds on schedulable nodes that have GPUs, in all.
  base::CpuMilli free_cpu() const { return free_cpu_; }
  base::GpuMilli free_gpu() const { return free_gpu_; }

  // The node must fit the request on these devices (asserted).
  AllocationId place(TaskId task, RequestId request, model::NodeId node, DeviceChoice devices);
  void release(AllocationId id);

  const Allocation& allocation(AllocationId id) const { return allocations_[id.index()]; }
  std::size_t allocation_count() const { return live_; }
  AllocationId first_allocation(model::NodeId node) const;
  AllocationId next_allocation(AllocationId id) const;

  // Whether the node takes new tasks (cordon); what runs there stays.
  void set_schedulable(model::NodeId node, bool schedulable);

  // Nodes were appended, or have another shape: nothing may run on those, nor may a mark be set.
  // Shapes may be appended, the others and the GPU models are the same. O(nodes + requests).
  void replace_cluster(std::shared_ptr<const model::Cluster> cluster);

  using Mark = std::size_t;
  Mark mark();           // from here on every change can be undone
  void undo(Mark mark);  // back to the mark, which is gone then
  void keep(Mark mark);  // the changes stay; the mark is gone

  std::uint64_t digest() const;
  std::size_t bytes() const;  // what a copy of it takes

  // Changes so far, and the nodes that changed after change number `since`: oldest first, a node
  // once for each change. Only the last `change_window()` changes are remembered.
  std::uint64_t changes() const { return changes_; }
  std::size_t change_window() const { return recent_.size(); }
  model::NodeId changed_node(std::uint64_t change) const {
    return recent_[change & (recent_.size() - 1)];
  }
  // Tells the processor that the node will be looked at soon. Changes nothing.
  void prefetch(model::NodeId node) const {
    __builtin_prefetch(&nodes_[node.index()]);
    __builtin_prefetch(&changed_at_[node.index()]);
  }
  std::uint64_t last_change(model::NodeId node) const { return changed_at_[node.index()]; }

 private:
  struct Undo {
    NodeState node;
    Allocation allocation;  // the slot as it was before
    model::NodeId node_id;
    std::int32_t slot;  // -1: the node changed, no allocation did
    std::int32_t free_slot;
    bool appended;  // the slot is new at the end of the table
  };

  static void take(NodeState& node, const Demand& demand, DeviceChoice devices, const MigTable* mig,
                   int gpus);
  std::uint32_t sizes_on(const NodeState& node, model::NodeId id) const;
  void link(std::int32_t slot, NodeState& node);
  void unlink(std::int32_t slot, NodeState& node);
  void account(const NodeState& node, std::int64_t sign);
  void remember(model::NodeId node, std::int32_t slot, bool appended);
  void changed(model::NodeId node);
  void learn_shapes(std::size_t first);

  std::shared_ptr<const model::Cluster> cluster_;
  std::shared_ptr<const std::vector<MigTable>> mig_tables_;  // by GPU model
  std::vector<const MigTable*> mig_of_shape_;                // into *mig_tables_
  std::shared_ptr<RequestTable> requests_;  // copied before it is written, if shared

  std::vector<NodeState> nodes_;
  std::vector<Allocation> allocations_;
  std::int32_t free_slot_ = -1;
  std::size_t live_ = 0;
  base::CpuMilli free_cpu_;
  base::GpuMilli free_gpu_;

  std::uint64_t changes_ = 0;
  std::vector<std::uint64_t> changed_at_;  // by node
  std::vector<model::NodeId> recent_;      // ring of the last changes; size a power of two

  std::vector<Undo> undo_;
  std::size_t marks_ = 0;
};

}  // namespace headroom::schedule
