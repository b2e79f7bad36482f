// How the types of the model are written to journals and snapshots (base/archive.h): each names its
// members once. A member that is added goes to the end of its list with base::since(version), and
// kArchiveVersion is raised; what a snapshot holds raises schedule/snapshot.h's version as well.
#pragma once

#include <tuple>
#include <type_traits>

#include "base/archive.h"
#include "model/record.h"

namespace headroom::model {

// Of records. 1: the first; 2: what ended an allocation besides its exit code.
constexpr std::int64_t kArchiveVersion = 2;

template <class T>
using Type = std::type_identity<T>;

// ---- the cluster

constexpr auto members(Type<MigProfile>) {
  return std::tuple(&MigProfile::name, &MigProfile::size, &MigProfile::starts,
                    &MigProfile::max_per_gpu);
}
constexpr auto members(Type<GpuModel>) {
  return std::tuple(&GpuModel::name, &GpuModel::memory, &GpuModel::mig_slices,
                    &GpuModel::mig_profiles);
}
constexpr auto members(Type<NodeShape>) {
  return std::tuple(&NodeShape::pool, &NodeShape::cpu, &NodeShape::memory, &NodeShape::gpu_model,
                    &NodeShape::gpus, &NodeShape::mig, &NodeShape::labels);
}
constexpr auto members(Type<Node>) { return std::tuple(&Node::name, &Node::shape); }
constexpr auto members(Type<Fabric>) { return std::tuple(&Fabric::domain_of, &Fabric::domains); }
constexpr auto members(Type<Cluster>) {
  return std::tuple(&Cluster::name, &Cluster::gpu_models, &Cluster::shapes, &Cluster::nodes,
                    &Cluster::fabric);
}

// ---- queues

constexpr auto members(Type<PoolAmount>) {
  return std::tuple(&PoolAmount::pool, &PoolAmount::amount);
}
constexpr auto members(Type<CellGuarantee>) {
  return std::tuple(&CellGuarantee::pool, &CellGuarantee::level, &CellGuarantee::count);
}
constexpr auto members(Type<UserLimits>) {
  return std::tuple(&UserLimits::gpus, &UserLimits::running, &UserLimits::waiting);
}
constexpr auto members(Type<Queue>) {
  return std::tuple(&Queue::name, &Queue::guarantee, &Queue::cells, &Queue::limit, &Queue::weight,
                    &Queue::priority, &Queue::min_runtime, &Queue::cooperative_sharing,
                    &Queue::user_limits);
}
constexpr auto members(Type<WindowSpec>) {
  return std::tuple(&WindowSpec::name, &WindowSpec::nodes, &WindowSpec::start, &WindowSpec::end,
                    &WindowSpec::queue);
}

// ---- jobs

constexpr auto members(Type<GpuRequest>) {
  return std::tuple(&GpuRequest::kind, &GpuRequest::count, &GpuRequest::share, &GpuRequest::memory,
                    &GpuRequest::profile);
}
constexpr auto members(Type<Request>) {
  return std::tuple(&Request::cpu, &Request::memory, &Request::gpu, &Request::gpu_models,
                    &Request::min_gpu_memory, &Request::labels, &Request::exclusive);
}
constexpr auto members(Type<TaskGroup>) {
  return std::tuple(&TaskGroup::name, &TaskGroup::tasks, &TaskGroup::request);
}
constexpr auto members(Type<SignalSpec>) {
  return std::tuple(&SignalSpec::name, &SignalSpec::before);
}
constexpr auto members(Type<CheckpointSpec>) {
  return std::tuple(&CheckpointSpec::every, &CheckpointSpec::size, &CheckpointSpec::signal);
}
constexpr auto members(Type<TopologySpec>) {
  return std::tuple(&TopologySpec::required, &TopologySpec::preferred, &TopologySpec::segment);
}
constexpr auto members(Type<Dependency>) { return std::tuple(&Dependency::kind, &Dependency::job); }
constexpr auto members(Type<ArraySpec>) {
  return std::tuple(&ArraySpec::first, &ArraySpec::last, &ArraySpec::most_running);
}
constexpr auto members(Type<ElasticSpec>) {
  return std::tuple(&ElasticSpec::min, &ElasticSpec::max);
}
constexpr auto members(Type<DataSpec>) {
  return std::tuple(&DataSpec::storage, &DataSpec::read_per_step);
}
constexpr auto members(Type<Job>) {
  return std::tuple(&Job::job, &Job::name, &Job::queue, &Job::user, &Job::kind, &Job::model,
                    &Job::groups, &Job::priority, &Job::preemptible, &Job::gang, &Job::elastic,
                    &Job::array, &Job::after, &Job::begin, &Job::deadline, &Job::time,
                    &Job::expected, &Job::restart_cost, &Job::retries, &Job::hold, &Job::checkpoint,
                    &Job::topology, &Job::data, &Job::run, &Job::env, &Job::workdir, &Job::output);
}

// ---- placements

constexpr auto members(Type<JobId>) { return std::tuple(&JobId::number, &JobId::element); }
constexpr auto members(Type<AllocationId>) {
  return std::tuple(&AllocationId::job, &AllocationId::attempt);
}
constexpr auto members(Type<DeviceUse>) {
  return std::tuple(&DeviceUse::gpu, &DeviceUse::share, &DeviceUse::mig_profile,
                    &DeviceUse::mig_start);
}
constexpr auto members(Type<TaskPlacement>) {
  return std::tuple(&TaskPlacement::group, &TaskPlacement::task, &TaskPlacement::node,
                    &TaskPlacement::devices);
}
constexpr auto members(Type<MigLayout>) {
  return std::tuple(&MigLayout::node, &MigLayout::gpu, &MigLayout::instances);
}

// ---- events

constexpr auto members(Type<JobSubmitted>) {
  return std::tuple(&JobSubmitted::id, &JobSubmitted::job, &JobSubmitted::speed_permille,
                    &JobSubmitted::planned);
}
constexpr auto members(Type<JobCancelled>) {
  return std::tuple(&JobCancelled::id, &JobCancelled::by);
}
constexpr auto members(Type<JobChanged>) { return std::tuple(&JobChanged::id, &JobChanged::job); }
constexpr auto members(Type<JobHeld>) { return std::tuple(&JobHeld::id, &JobHeld::held); }
constexpr auto members(Type<AllocationLaunching>) { return std::tuple(&AllocationLaunching::id); }
constexpr auto members(Type<AllocationStarted>) { return std::tuple(&AllocationStarted::id); }
constexpr auto members(Type<AllocationEnded>) {
  return std::tuple(&AllocationEnded::id, &AllocationEnded::outcome, &AllocationEnded::exit_code,
                    base::since(2, &AllocationEnded::signal),
                    base::since(2, &AllocationEnded::out_of_memory),
                    base::since(2, &AllocationEnded::detail));
}
constexpr auto members(Type<TaskEnded>) {
  return std::tuple(&TaskEnded::id, &TaskEnded::group, &TaskEnded::task);
}
constexpr auto members(Type<AllocationLost>) { return std::tuple(&AllocationLost::id); }
constexpr auto members(Type<NodeAdded>) { return std::tuple(&NodeAdded::name, &NodeAdded::shape); }
constexpr auto members(Type<NodeChanged>) {
  return std::tuple(&NodeChanged::node, &NodeChanged::shape);
}
constexpr auto members(Type<NodeRemoved>) { return std::tuple(&NodeRemoved::node); }
constexpr auto members(Type<NodeDrained>) {
  return std::tuple(&NodeDrained::node, &NodeDrained::reason, &NodeDrained::drained);
}
constexpr auto members(Type<NodeFailed>) {
  return std::tuple(&NodeFailed::node, &NodeFailed::reason);
}
constexpr auto members(Type<NodeRecovered>) { return std::tuple(&NodeRecovered::node); }
constexpr auto members(Type<QueueChanged>) {
  return std::tuple(&QueueChanged::queue, &QueueChanged::removed);
}
constexpr auto members(Type<ReservationChanged>) {
  return std::tuple(&ReservationChanged::window, &ReservationChanged::nodes,
                    &ReservationChanged::maintenance, &ReservationChanged::removed);
}
constexpr auto members(Type<RepartitionConfirmed>) {
  return std::tuple(&RepartitionConfirmed::layout);
}
constexpr auto members(Type<RepartitionFailed>) {
  return std::tuple(&RepartitionFailed::layout, &RepartitionFailed::reason);
}
constexpr auto members(Type<DurationsLearned>) {
  return std::tuple(&DurationsLearned::user, &DurationsLearned::name, &DurationsLearned::queue,
                    &DurationsLearned::p50, &DurationsLearned::p75, &DurationsLearned::p90);
}
constexpr auto members(Type<Cycle>) { return std::tuple(); }

// ---- decisions

constexpr auto members(Type<StartJob>) { return std::tuple(&StartJob::id, &StartJob::placement); }
constexpr auto members(Type<StopJob>) {
  return std::tuple(&StopJob::id, &StopJob::reason, &StopJob::for_whom);
}
constexpr auto members(Type<ResizeJob>) {
  return std::tuple(&ResizeJob::id, &ResizeJob::placement);
}
constexpr auto members(Type<RepartitionGpu>) { return std::tuple(&RepartitionGpu::layout); }
constexpr auto members(Type<ReserveFor>) {
  return std::tuple(&ReserveFor::job, &ReserveFor::start, &ReserveFor::placement,
                    &ReserveFor::slipped);
}
constexpr auto members(Type<RejectJob>) {
  return std::tuple(&RejectJob::job, &RejectJob::reason, &RejectJob::needs, &RejectJob::most);
}

constexpr auto members(Type<Record>) {
  return std::tuple(&Record::sequence, &Record::time, &Record::what);
}

}  // namespace headroom::model
