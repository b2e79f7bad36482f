#include "schedule/placer.h"

#include <numeric>

#include "base/assert.h"

namespace headroom::schedule {

namespace {

constexpr std::uint64_t kAhead = 8;  // changes

}  // namespace

Placer::Placer(const ClusterState& state, std::unique_ptr<Placement> placement,
               std::vector<model::NodeId> order)
    : state_(state),
      placement_(std::move(placement)),
      uniform_(placement_->uniform()),
      order_(std::move(order)) {
  HEADROOM_ASSERT(order_.empty() || order_.size() == state_.node_count());
  number_positions();
}

void Placer::number_positions() {
  for (std::size_t i = order_.size(); i < state_.node_count(); ++i) order_.emplace_back(i);
  position_.resize(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    position_[order_[i].index()] = static_cast<std::uint32_t>(i);
  }
}

void Placer::cluster_changed() {
  placement_->cluster_changed(state_.cluster());
  number_positions();
  scores_.clear();
  kept_ = 0;
}

std::optional<Choice> Placer::choose(RequestId request, base::Rng& rng) {
  const ScoreIndex& index = up_to_date(request).index;
  std::size_t position = ScoreIndex::kNone;
  if (uniform_) {
    const std::size_t feasible = index.feasible();
    if (feasible > 0) position = index.nth_feasible(rng.below(feasible));
  } else {
    position = index.best();
  }
  if (position == ScoreIndex::kNone) return std::nullopt;
  const model::NodeId node = order_[position];
  return Choice{node, placement_->devices(candidate(request, node), rng)};
}

Placer::Scores& Placer::up_to_date(RequestId request) {
  if (scores_.size() <= request.index()) scores_.resize(request.index() + 1);
  const std::uint64_t epoch = placement_->epoch();
  std::unique_ptr<Scores>& slot = scores_[request.index()];
  if (!slot) {
    if ((kept_ + 1) * order_.size() > kMaxScores) forget_oldest();
    slot = std::make_unique<Scores>(Scores{.index = ScoreIndex(order_.size())});
    ++kept_;
    score_all(request, slot->index);
  } else if (slot->epoch != epoch || state_.changes() - slot->changes >= state_.change_window()) {
    score_all(request, slot->index);
  } else {
    score_changed(request, *slot);
  }
  slot->changes = state_.changes();
  slot->epoch = epoch;
  slot->turn = ++turn_;
  return *slot;
}

// Empty nodes of one shape are equal, so one score serves them all.
void Placer::score_all(RequestId request, ScoreIndex& index) {
  const std::vector<Demand>& demands = state_.requests().demands(request);
  std::vector<std::optional<Score>> empty(demands.size());
  index.build([&](std::size_t position) {
    const model::NodeId node = order_[position];
    const NodeState& free = state_.node(node);
    if (free.tasks > 0 || !free.schedulable) return score(demands, request, node);
    std::optional<Score>& known = empty[free.shape];
    if (!known) known = score(demands, request, node);
    return *known;
  });
}

void Placer::score_changed(RequestId request, Scores& scores) {
  const std::vector<Demand>& demands = state_.requests().demands(request);
  const std::uint64_t last = state_.changes();
  for (std::uint64_t change = scores.changes + 1; change <= last; ++change) {
    const model::NodeId node = state_.changed_node(change);
    // In a large cluster each of these is a cache miss; asked for early, they overlap.
    if (change + kAhead <= last) {
      const model::NodeId soon = state_.changed_node(change + kAhead);
      state_.prefetch(soon);
      scores.index.prefetch(position_[soon.index()]);
    }
    if (state_.last_change(node) != change) continue;  // it changed again later
    scores.index.set(position_[node.index()], score(demands, request, node));
  }
}

Score Placer::score(const std::vector<Demand>& demands, RequestId request, model::NodeId node) {
  const NodeState& free = state_.node(node);
  const model::ShapeId shape{free.shape};
  const Demand& demand = demands[free.shape];
  const MigTable* mig = state_.mig_table(shape);
  if (!fits(free, demand, mig)) return kNoFit;
  ++scored_;
  if (uniform_) return 0;
  return placement_->score({.node = free,
                            .shape = state_.cluster().shapes[free.shape],
                            .shape_id = shape,
                            .demand = demand,
                            .request = request,
                            .mig = mig});
}

Candidate Placer::candidate(RequestId request, model::NodeId node) const {
  const model::ShapeId shape = state_.shape_id(node);
  return {.node = state_.node(node),
          .shape = state_.cluster().shapes[shape.index()],
          .shape_id = shape,
          .demand = state_.requests().demand(request, shape),
          .request = request,
          .mig = state_.mig_table(shape)};
}

void Placer::forget_oldest() {
  std::unique_ptr<Scores>* oldest = nullptr;
  for (auto& slot : scores_) {
    if (slot && (oldest == nullptr || slot->turn < (*oldest)->turn)) oldest = &slot;
  }
  if (oldest == nullptr) return;
  oldest->reset();
  --kept_;
}

std::size_t Placer::bytes() const {
  std::size_t total = 0;
  for (const auto& slot : scores_) total += slot ? slot->index.bytes() : 0;
  return total;
}

}  // namespace headroom::schedule
