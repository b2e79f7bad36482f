#include "simulate/meter.h"

#include <algorithm>
#include <tuple>

#include "schedule/room.h"

namespace headroom::simulate {

namespace {

using schedule::PoolId;

// The typical GPU tasks of the history.
schedule::TaskMix typical_tasks(const model::History& history) {
  schedule::TaskMix mix;
  for (const model::HistoricJob& one : history.jobs) {
    for (const model::TaskGroup& group : one.job.groups) {
      if (group.request.gpu.kind == model::GpuRequest::Kind::kNone) continue;
      mix.push_back({group.request, group.tasks});
    }
  }
  return schedule::typical_classes(mix);
}

}  // namespace

Meter::Meter(const ReplayInput& input, const schedule::State& state)
    : input_(input),
      state_(state),
      fragmentation_(*input.cluster, typical_tasks(*input.jobs)),
      nodes_(input.cluster->nodes.size()),
      pools_(state.queues().pools().size() - 1) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) touched(model::NodeId{i});
  for (std::size_t i = 0; i < input.windows.size(); ++i) {
    edges_.push_back({input.windows[i].window.start, i, true});
    edges_.push_back({input.windows[i].window.end, i, false});
  }
  std::sort(edges_.begin(), edges_.end(), [](const WindowEdge& a, const WindowEdge& b) {
    return std::tie(a.time, a.window, a.opens) < std::tie(b.time, b.window, b.opens);
  });
}

void Meter::start(base::Time first) {
  now_ = next_sample_ = first;
  timeline_ = Timeline(first);
  advance(first);
}

void Meter::add(const NodeFigures& node, PoolId pool, std::int64_t sign) {
  pools_[pool.index()].idle += sign * node.idle;
  if (node.windows > 0) pools_[pool.index()].idle_in_windows += sign * node.idle;
  unusable_ += sign * node.unusable;
}

void Meter::touched(model::NodeId id) {
  const model::ShapeId shape = state_.cluster().shape_id(id);
  const model::NodeShape& hardware = input_.cluster->shapes[shape.index()];
  if (hardware.gpus == 0) return;
  NodeFigures& node = nodes_[id.index()];
  add(node, state_.pool_of(shape), -1);
  node.idle = node.unusable = 0;
  if (!state_.node_failed(id)) {
    const schedule::NodeState& now = state_.cluster().node(id);
    node.idle = schedule::idle_milli(now, hardware.gpus, state_.cluster().mig_table(shape));
    node.unusable = fragmentation_.of(now, shape);
  }
  add(node, state_.pool_of(shape), 1);
}

void Meter::set_window(const model::ReservationChanged& window, std::int32_t change) {
  for (const model::NodeId id : window.nodes) {
    const model::ShapeId shape = state_.cluster().shape_id(id);
    if (input_.cluster->shapes[shape.index()].gpus == 0) continue;
    NodeFigures& node = nodes_[id.index()];
    add(node, state_.pool_of(shape), -1);
    node.windows += change;
    add(node, state_.pool_of(shape), 1);
  }
}

void Meter::advance(base::Time now) {
  while (next_edge_ < edges_.size() && edges_[next_edge_].time <= now) {
    const WindowEdge& edge = edges_[next_edge_++];
    if (edge.time > now_) {
      integrate(base::between(now_, edge.time).value());
      now_ = edge.time;
    }
    set_window(input_.windows[edge.window], edge.opens ? 1 : -1);
  }
  if (now > now_) {
    integrate(base::between(now_, now).value());
    now_ = now;
  }
}

void Meter::integrate(std::int64_t step) {
  GpuStep now;
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    const PoolFigures& pool = pools_[p];
    now.capacity += state_.capacity(PoolId{p});
    for (const schedule::QueueId top : state_.queues().top()) {
      now.allocated += state_.held(top, PoolId{p});
    }
    sum_.idle += pool.idle * step;
    if (!pool.cause) continue;
    const auto at = [&](Cause cause) -> std::int64_t& {
      return sum_.idle_waiting[static_cast<std::size_t>(cause)];
    };
    at(Cause::kWindow) += pool.idle_in_windows * step;
    at(*pool.cause) += (pool.idle - pool.idle_in_windows) * step;
  }
  if (fragmentation_.weight() > 0) now.unusable = unusable_ / fragmentation_.weight();
  sum_.capacity += now.capacity * step;
  sum_.allocated += now.allocated * step;
  sum_.unusable += now.unusable * step;
  timeline_.add(now_, now_ + base::Duration{step}, now);
}

// Why the first job that waits for the pool does.
Cause Meter::cause_in(PoolId pool, const schedule::Scheduler& scheduler) const {
  const schedule::Reason head = scheduler.head_reason();
  if (head.kind != schedule::Reason::Kind::kNone && head.pool == pool) return cause_of(head.kind);
  for (const schedule::JobSlot slot : state_.all_waiting()) {
    const auto& options = state_.job(slot).spec->pools;
    if (!options.empty() && options.front().pool == pool) {
      return cause_of(scheduler.reason(slot).kind);
    }
  }
  return Cause::kCapacity;
}

void Meter::cycled(const schedule::Scheduler& scheduler) {
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    std::int64_t wanted = 0;
    for (const schedule::QueueId top : state_.queues().top()) {
      wanted += state_.wanted(top, PoolId{p});
    }
    pools_[p].cause.reset();
    if (wanted > 0) pools_[p].cause = cause_in(PoolId{p}, scheduler);
  }
  if (state_.now() >= next_sample_) sample(scheduler);
}

// When there are too many, every other one goes and they are taken half as often.
void Meter::sample(const schedule::Scheduler& scheduler) {
  Sample one{.time = state_.now()};
  for (const schedule::JobSlot slot : state_.all_waiting()) {
    ++one.waiting[static_cast<std::size_t>(cause_of(scheduler.reason(slot).kind))];
  }
  if (samples_.size() == kMostSamples) {
    for (std::size_t i = 0; 2 * i < kMostSamples; ++i) samples_[i] = samples_[2 * i];
    samples_.resize(kMostSamples / 2);
    sample_every_ = sample_every_ * 2;
  }
  samples_.push_back(one);
  next_sample_ = state_.now() + sample_every_;
}

}  // namespace headroom::simulate
