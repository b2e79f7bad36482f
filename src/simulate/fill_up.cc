#include "simulate/fill_up.h"

#include "base/rng.h"
#include "schedule/cluster_state.h"
#include "schedule/fragmentation.h"
#include "schedule/placements.h"
#include "schedule/placer.h"

namespace headroom::simulate {

namespace {

using Arrivals = std::vector<std::uint32_t>;  // the request of each arrival

base::GpuMilli demand_of(const Workload& workload, const Arrivals& arrivals) {
  base::GpuMilli total;
  for (std::uint32_t request : arrivals) total += workload.requests[request].nominal_gpu();
  return total;
}

// The list in random order, cut or extended to the wanted demand. Extra arrivals are drawn from the
// whole list, with replacement, until one more would overshoot by its demand per GPU (the published
// rule: a task with several GPUs may overshoot).
Arrivals draw_arrivals(const Workload& workload, base::GpuMilli wanted, base::Rng& rng) {
  Arrivals arrivals = workload.request_of;
  rng.shuffle(arrivals);
  base::GpuMilli total = demand_of(workload, arrivals);
  while (total > wanted) {
    const std::size_t out = rng.below(arrivals.size());
    total -= workload.requests[arrivals[out]].nominal_gpu();
    arrivals.erase(arrivals.begin() + static_cast<std::ptrdiff_t>(out));
  }
  if (arrivals.size() < workload.request_of.size()) return arrivals;
  while (true) {
    const std::uint32_t next = workload.request_of[rng.below(workload.request_of.size())];
    const model::GpuRequest& gpu = workload.requests[next].gpu;
    const bool whole = gpu.kind == model::GpuRequest::Kind::kWhole;
    if (total + (whole ? base::kWholeGpu : gpu.share) > wanted) return arrivals;
    arrivals.push_back(next);
    total += workload.requests[next].nominal_gpu();
  }
}

std::vector<model::NodeId> random_order(std::size_t nodes, base::Rng& rng) {
  std::vector<model::NodeId> order;
  for (std::size_t i = 0; i < nodes; ++i) order.emplace_back(i);
  rng.shuffle(order);
  return order;
}

base::Result<void> check(const FillUp& experiment) {
  if (experiment.cluster->gpu_capacity() <= base::GpuMilli{0}) {
    return base::fail("the cluster has no GPUs to fill");
  }
  if (demand_of(*experiment.workload, experiment.workload->request_of) <= base::GpuMilli{0}) {
    return base::fail("no task asks for a GPU, so no demand can be drawn");
  }
  return {};
}

// One run: the cluster, what fills it, and what is measured.
class Run {
 public:
  Run(const FillUp& experiment, std::unique_ptr<schedule::Placement> placement)
      : workload_(*experiment.workload),
        rng_(experiment.seed),
        capacity_(experiment.cluster->gpu_capacity()),
        state_(experiment.cluster),
        placer_(state_, std::move(placement), random_order(state_.node_count(), rng_)),
        fragmentation_(*experiment.cluster, schedule::typical_classes(workload_.mix)),
        recorder_(capacity_) {
    for (const model::Request& request : workload_.requests) ids_.push_back(state_.intern(request));
    for (std::size_t i = 0; i < state_.node_count(); ++i)
      fragment_ += fragment_of(model::NodeId{i});
  }

  FillUpResult fill(base::GpuMilli wanted) {
    for (std::uint32_t request : draw_arrivals(workload_, wanted, rng_)) arrive(request);
    result_.curve = recorder_.finish();
    result_.digest = state_.digest();
    return std::move(result_);
  }

 private:
  std::int64_t fragment_of(model::NodeId node) const {
    return fragmentation_.of(state_.node(node), state_.shape_id(node));
  }

  void arrive(std::uint32_t request) {
    const schedule::RequestId id = ids_[request];
    const base::GpuMilli asked = workload_.requests[request].nominal_gpu();
    arrived_ += asked;
    placer_.arrived(id);
    if (const auto choice = placer_.choose(id, rng_)) {
      fragment_ -= fragment_of(choice->node);
      state_.place(result_.arrived, id, choice->node, choice->devices);
      fragment_ += fragment_of(choice->node);
      allocated_ += base::GpuMilli{state_.demand(id, choice->node).gpu_milli()};
      ++result_.placed;
    }
    ++result_.arrived;
    recorder_.add(arrived_, allocated_, fragment_, fragmentation_.weight());
  }

  const Workload& workload_;
  base::Rng rng_;
  base::GpuMilli capacity_;
  schedule::ClusterState state_;
  schedule::Placer placer_;
  schedule::Fragmentation fragmentation_;
  CurveRecorder recorder_;
  std::vector<schedule::RequestId> ids_;  // by request of the workload
  base::GpuMilli arrived_;
  base::GpuMilli allocated_;
  std::int64_t fragment_ = 0;  // of the cluster, times the weight
  FillUpResult result_;
};

}  // namespace

base::Result<FillUpResult> fill_up(const FillUp& experiment) {
  if (const auto ok = check(experiment); !ok) return base::fail(ok.error().message);
  auto placement =
      schedule::make_placement(experiment.placement, *experiment.cluster, experiment.workload->mix);
  if (placement == nullptr) return base::fail("unknown placement '" + experiment.placement + "'");
  const base::GpuMilli wanted{experiment.cluster->gpu_capacity().value() / 1000 *
                              experiment.arrive_permille};
  return Run(experiment, std::move(placement)).fill(wanted);
}

}  // namespace headroom::simulate
