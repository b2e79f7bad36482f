#include "schedule/cluster_state.h"

#include <bit>

#include "base/assert.h"
#include "base/digest.h"
#include "schedule/mutants.h"
#include "schedule/room.h"

namespace headroom::schedule {

namespace {

NodeState empty_node(model::ShapeId id, const model::NodeShape& shape) {
  NodeState node;
  node.shape = static_cast<std::uint16_t>(id.index());
  node.cpu = shape.cpu;
  node.memory = shape.memory;
  for (int i = 0; i < shape.gpus; ++i) node.gpus[static_cast<std::size_t>(i)] = Device::idle();
  node.sum_up(shape.gpus);
  return node;
}

std::uint32_t size_bit(const Demand& demand) {
  switch (demand.kind) {
    case Demand::Kind::kNone:
      return 0;
    case Demand::Kind::kWhole:
      return 1u << demand.count;
    case Demand::Kind::kShare:
    case Demand::Kind::kMig:
      return 1u;
  }
  return 0;
}

}  // namespace

ClusterState::ClusterState(std::shared_ptr<const model::Cluster> cluster)
    : cluster_(std::move(cluster)), requests_(std::make_shared<RequestTable>()) {
  auto tables = std::make_shared<std::vector<MigTable>>();
  for (const model::GpuModel& gpu : cluster_->gpu_models) tables->emplace_back(gpu);
  mig_tables_ = tables;
  learn_shapes(0);
  for (const model::Node& node : cluster_->nodes) {
    nodes_.push_back(empty_node(node.shape, cluster_->shapes[node.shape.index()]));
    account(nodes_.back(), 1);
  }
  changed_at_.assign(nodes_.size(), 0);
  recent_.resize(std::bit_ceil(nodes_.size() * 2 + 64));
}

void ClusterState::learn_shapes(std::size_t first) {
  HEADROOM_ASSERT(cluster_->shapes.size() <= 0xffff);
  for (std::size_t i = first; i < cluster_->shapes.size(); ++i) {
    const model::NodeShape& shape = cluster_->shapes[i];
    HEADROOM_ASSERT(shape.gpus <= model::kMaxGpusPerNode);
    mig_of_shape_.push_back(shape.mig ? &(*mig_tables_)[shape.gpu_model.index()] : nullptr);
  }
}

void ClusterState::replace_cluster(std::shared_ptr<const model::Cluster> cluster) {
  HEADROOM_ASSERT(marks_ == 0 && cluster->nodes.size() >= nodes_.size());
  cluster_ = std::move(cluster);
  if (const std::size_t known = mig_of_shape_.size(); known < cluster_->shapes.size()) {
    learn_shapes(known);
    // Other copies of the state keep the table they have.
    requests_ = std::make_shared<RequestTable>(*requests_);
    requests_->add_shapes(*cluster_, known);
  }
  for (std::size_t i = 0; i < cluster_->nodes.size(); ++i) {
    const model::ShapeId id = cluster_->nodes[i].shape;
    if (i < nodes_.size() && nodes_[i].shape == id.index()) continue;
    NodeState fresh = empty_node(id, cluster_->shapes[id.index()]);
    if (i == nodes_.size()) {
      nodes_.push_back(fresh);
      changed_at_.push_back(0);
    } else {
      HEADROOM_ASSERT(nodes_[i].tasks == 0);
      account(nodes_[i], -1);
      fresh.schedulable = nodes_[i].schedulable;
      nodes_[i] = fresh;
    }
    account(nodes_[i], 1);
  }
  // What was remembered of single changes no longer tells all.
  recent_.resize(std::bit_ceil(nodes_.size() * 2 + 64));
  changes_ += recent_.size();
}

RequestId ClusterState::intern(const model::Request& request) {
  if (const RequestId known = requests_->find(request); known.valid()) return known;
  // Other copies of the state keep the table they have.
  if (requests_.use_count() > 1) requests_ = std::make_shared<RequestTable>(*requests_);
  return requests_->intern(request, *cluster_);
}

AllocationId ClusterState::place(TaskId task, RequestId request, model::NodeId node_id,
                                 DeviceChoice devices) {
  NodeState& node = nodes_[node_id.index()];
  const Demand& demand = this->demand(request, node_id);
  std::int32_t slot = free_slot_;
  const bool appended = slot < 0;
  if (appended) {
    slot = static_cast<std::int32_t>(allocations_.size());
    allocations_.emplace_back();
  }
  remember(node_id, slot, appended);
  free_slot_ = allocations_[static_cast<std::size_t>(slot)].next;
  Allocation& allocation = allocations_[static_cast<std::size_t>(slot)];
  allocation = {.task = task, .node = node_id, .request = request, .devices = devices};
  account(node, -1);
  take(node, demand, devices, mig_table(shape_id(node_id)), shape(node_id).gpus);
  account(node, 1);
  link(slot, node);
  ++live_;
  changed(node_id);
  return AllocationId{static_cast<std::size_t>(slot)};
}

void ClusterState::release(AllocationId id) {
  Allocation& allocation = allocations_[id.index()];
  HEADROOM_ASSERT(allocation.node.valid());
  const model::NodeId node_id = allocation.node;
  const auto slot = static_cast<std::int32_t>(id.index());
  remember(node_id, slot, false);
  NodeState& node = nodes_[node_id.index()];
  unlink(slot, node);
  account(node, -1);
  vacate(node, demand(allocation.request, node_id), allocation.devices,
         mig_table(shape_id(node_id)), shape(node_id).gpus);
  node.sizes = sizes_on(node, node_id);
  account(node, 1);
  allocation = Allocation{};
  allocation.next = free_slot_;
  free_slot_ = slot;
  --live_;
  changed(node_id);
}

// Placing where the demand does not fit is a mistake of the program.
void ClusterState::take(NodeState& node, const Demand& demand, DeviceChoice devices,
                        const MigTable* mig, int gpus) {
  HEADROOM_ASSERT(demand.possible && demand.cpu <= node.cpu && demand.memory <= node.memory);
  HEADROOM_ASSERT(!node.exclusive && (!demand.exclusive || node.tasks == 0));
  HEADROOM_ASSERT(std::popcount(devices.mask) == demand.count);
  for (unsigned rest = devices.mask; rest != 0; rest &= rest - 1) {
    const Device gpu = node.gpus[static_cast<std::size_t>(std::countr_zero(rest))];
    HEADROOM_ASSERT(device_fits(gpu, demand, mig));
    HEADROOM_ASSERT(demand.kind != Demand::Kind::kMig ||
                    (gpu.used_slices() & mig->covered(demand.profile, devices.mig_start)) == 0);
  }
  occupy(node, demand, devices, mig, gpus);
  node.sizes |= size_bit(demand);
}

std::uint32_t ClusterState::sizes_on(const NodeState& node, model::NodeId id) const {
  std::uint32_t sizes = 0;
  for (std::int32_t at = node.first_allocation; at >= 0;) {
    const Allocation& allocation = allocations_[static_cast<std::size_t>(at)];
    sizes |= size_bit(demand(allocation.request, id));
    at = allocation.next;
  }
  return sizes;
}

void ClusterState::link(std::int32_t slot, NodeState& node) {
  Allocation& allocation = allocations_[static_cast<std::size_t>(slot)];
  allocation.next = node.first_allocation;
  if (allocation.next >= 0) allocations_[static_cast<std::size_t>(allocation.next)].previous = slot;
  node.first_allocation = slot;
}

void ClusterState::unlink(std::int32_t slot, NodeState& node) {
  const Allocation& allocation = allocations_[static_cast<std::size_t>(slot)];
  const auto at = [&](std::int32_t i) -> Allocation& {
    return allocations_[static_cast<std::size_t>(i)];
  };
  if (allocation.next >= 0) at(allocation.next).previous = allocation.previous;
  if (allocation.previous >= 0) {
    at(allocation.previous).next = allocation.next;
  } else {
    node.first_allocation = allocation.next;
  }
}

AllocationId ClusterState::first_allocation(model::NodeId node) const {
  const std::int32_t slot = nodes_[node.index()].first_allocation;
  return slot < 0 ? AllocationId::none() : AllocationId{static_cast<std::size_t>(slot)};
}

AllocationId ClusterState::next_allocation(AllocationId id) const {
  const std::int32_t slot = allocations_[id.index()].next;
  return slot < 0 ? AllocationId::none() : AllocationId{static_cast<std::size_t>(slot)};
}

void ClusterState::set_schedulable(model::NodeId node, bool schedulable) {
  remember(node, -1, false);
  account(nodes_[node.index()], -1);
  nodes_[node.index()].schedulable = schedulable;
  account(nodes_[node.index()], 1);
  changed(node);
}

void ClusterState::remember(model::NodeId node, std::int32_t slot, bool appended) {
  if (marks_ == 0) return;
  const Allocation before = slot < 0 ? Allocation{} : allocations_[static_cast<std::size_t>(slot)];
  const std::int32_t free_slot = appended ? -1 : free_slot_;
  undo_.push_back({nodes_[node.index()], before, node, slot, free_slot, appended});
}

// Adds the node to the sums of what is free (sign 1), or takes it out (-1).
void ClusterState::account(const NodeState& node, std::int64_t sign) {
  const model::NodeShape& shape = cluster_->shapes[node.shape];
  if (shape.gpus == 0 || !node.schedulable) return;
  const std::int64_t free = idle_milli(node, shape.gpus, mig_of_shape_[node.shape]);
  free_cpu_ += node.cpu * sign;
  free_gpu_ += base::GpuMilli{free * sign};
}

void ClusterState::changed(model::NodeId node) {
  ++changes_;
  changed_at_[node.index()] = changes_;
  recent_[changes_ & (recent_.size() - 1)] = node;
}

ClusterState::Mark ClusterState::mark() {
  ++marks_;
  return undo_.size();
}

void ClusterState::keep(Mark mark) {
  HEADROOM_ASSERT(marks_ > 0 && mark <= undo_.size());
  if (--marks_ == 0) undo_.clear();
}

// Changes are taken back newest first, so each slot's neighbours in its node's list are the same
// as when the change was made, and the links are restored by the same two operations.
void ClusterState::undo(Mark mark) {
  HEADROOM_ASSERT(marks_ > 0 && mark <= undo_.size());
  while (undo_.size() > mark) {
    const Undo& last = undo_.back();
    NodeState& node = nodes_[last.node_id.index()];
    if (last.slot >= 0) {
      Allocation& slot = allocations_[static_cast<std::size_t>(last.slot)];
      if (slot.node.valid()) {
        unlink(last.slot, node);
        --live_;
      }
      slot = last.allocation;
      if (slot.node.valid()) {
        if (slot.next >= 0) allocations_[static_cast<std::size_t>(slot.next)].previous = last.slot;
        if (slot.previous >= 0) {
          allocations_[static_cast<std::size_t>(slot.previous)].next = last.slot;
        }
        ++live_;
      }
      free_slot_ = last.free_slot;
      if (last.appended) allocations_.pop_back();
    }
    account(node, -1);
    const base::CpuMilli cpu = node.cpu;
    node = last.node;
    if (mutated(Mutant::kUndoForgetsCores)) node.cpu = cpu;
    account(node, 1);
    changed(last.node_id);
    undo_.pop_back();
  }
  --marks_;
}

std::uint64_t ClusterState::digest() const {
  base::Digest digest;
  for (const NodeState& node : nodes_) {
    digest.add(node.cpu.value());
    digest.add(node.memory.value());
    for (std::size_t i = 0; i < node.gpus.size(); i += 4) {
      digest.add(std::uint64_t{node.gpus[i].bits()} | std::uint64_t{node.gpus[i + 1].bits()} << 16 |
                 std::uint64_t{node.gpus[i + 2].bits()} << 32 |
                 std::uint64_t{node.gpus[i + 3].bits()} << 48);
    }
    digest.add(std::uint64_t{node.sizes} | std::uint64_t{node.tasks} << 32 |
               std::uint64_t{node.exclusive} << 48 | std::uint64_t{node.schedulable} << 49);
  }
  for (const Allocation& allocation : allocations_) {
    if (!allocation.node.valid()) continue;
    base::Digest one;
    one.add(allocation.task);
    one.add(std::uint64_t{allocation.node.index()} | std::uint64_t{allocation.devices.mask} << 32 |
            std::uint64_t{allocation.devices.mig_start} << 48);
    one.add(requests_->digest(allocation.request));
    digest.unordered(one);
  }
  return digest.value();
}

std::size_t ClusterState::bytes() const {
  return nodes_.size() * (sizeof(NodeState) + sizeof(std::uint64_t)) +
         allocations_.size() * sizeof(Allocation) + recent_.size() * sizeof(model::NodeId);
}

}  // namespace headroom::schedule
