// The fast core against the naive reference: on random clusters and tasks, with releases, undone
// trials and cordoned nodes, every decision, the fragment amount and the digest are identical.
#include <gtest/gtest.h>

#include "schedule/cluster_state.h"
#include "schedule/fragmentation.h"
#include "schedule/placements.h"
#include "schedule/placer.h"
#include "tests/naive_scheduler.h"
#include "tests/random_case.h"

namespace headroom::tests {

namespace {

// One case: both schedulers side by side.
class SideBySide {
 public:
  SideBySide(std::uint64_t seed, const std::string& placement)
      : rng_(seed),
        case_(random_case(rng_)),
        state_(case_.cluster),
        placer_(state_, schedule::make_placement(placement, *case_.cluster, case_.mix),
                case_.order),
        naive_(case_.cluster, case_.order, placement, case_.mix),
        fragmentation_(*case_.cluster, schedule::typical_classes(case_.mix)),
        fast_draws_(seed),
        naive_draws_(seed) {}

  // Returns the number of decisions compared.
  int run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      const std::uint64_t dice = rng_.below(100);
      if (dice < 70)
        arrive();
      else if (dice < 90)
        leave();
      else if (dice < 95)
        try_and_undo();
      else
        cordon();
    }
    EXPECT_EQ(state_.digest(), naive_.rebuilt().digest()) << "the digest depends on history";
    EXPECT_EQ(fragment(), naive_.fragment());
    return decisions_;
  }

  int placed() const { return placed_; }

 private:
  const model::Request& any_request() { return case_.requests[rng_.below(case_.requests.size())]; }

  std::optional<schedule::Choice> decide(const model::Request& request) {
    const auto fast = placer_.choose(state_.intern(request), fast_draws_);
    const auto naive = naive_.choose(request, naive_draws_);
    EXPECT_EQ(fast.has_value(), naive.has_value()) << "decision " << decisions_;
    if (fast && naive) {
      EXPECT_EQ(fast->node, naive->node) << "decision " << decisions_;
      EXPECT_EQ(fast->devices, naive->devices) << "decision " << decisions_;
    }
    ++decisions_;
    return fast;
  }

  void arrive() {
    const model::Request& request = any_request();
    placer_.arrived(state_.intern(request));
    naive_.arrived(request);
    const auto choice = decide(request);
    if (!choice) return;
    held_.emplace_back(next_,
                       state_.place(next_, state_.intern(request), choice->node, choice->devices));
    naive_.place(next_, request, *choice);
    ++next_;
    ++placed_;
  }

  void leave() {
    if (held_.empty()) return;
    std::swap(held_[rng_.below(held_.size())], held_.back());
    naive_.release(held_.back().first);
    state_.release(held_.back().second);
    held_.pop_back();
  }

  // Placements and releases inside a trial leave no trace.
  void try_and_undo() {
    const std::uint64_t before = state_.digest();
    const schedule::ClusterState::Mark mark = state_.mark();
    for (std::uint64_t i = rng_.below(4); i > 0; --i) {
      const schedule::RequestId id = state_.intern(any_request());
      base::Rng draws(i);
      if (const auto choice = placer_.choose(id, draws)) {
        state_.place(-1, id, choice->node, choice->devices);
      }
    }
    for (std::uint64_t i = rng_.below(4); i > 0 && i <= held_.size(); --i) {
      state_.release(held_[i - 1].second);
    }
    state_.undo(mark);
    EXPECT_EQ(state_.digest(), before) << "undo left a trace";
  }

  void cordon() {
    const model::NodeId node{rng_.below(state_.node_count())};
    const bool schedulable = !state_.node(node).schedulable;
    state_.set_schedulable(node, schedulable);
    naive_.set_schedulable(node, schedulable);
  }

  std::int64_t fragment() const {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < state_.node_count(); ++i) {
      const model::NodeId node{i};
      total += fragmentation_.of(state_.node(node), state_.shape_id(node));
    }
    return total;
  }

  base::Rng rng_;
  RandomCase case_;
  schedule::ClusterState state_;
  schedule::Placer placer_;
  NaiveScheduler naive_;
  schedule::Fragmentation fragmentation_;
  base::Rng fast_draws_;
  base::Rng naive_draws_;
  std::vector<std::pair<schedule::TaskId, schedule::AllocationId>> held_;
  schedule::TaskId next_ = 1;
  int decisions_ = 0;
  int placed_ = 0;
};

class Reference : public testing::TestWithParam<std::string> {};

TEST_P(Reference, EveryDecisionIsThatOfTheNaiveScheduler) {
  constexpr std::uint64_t kCases = 1200;  // x 9 placements: more than 10,000
  std::int64_t decisions = 0;
  std::int64_t placed = 0;
  for (std::uint64_t seed = 0; seed < kCases && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SideBySide both(seed, GetParam());
    decisions += both.run(60);
    placed += both.placed();
  }
  // The cases are of use only if most tasks find a place and many do not.
  EXPECT_GT(placed * 10, decisions * 3);
  EXPECT_LT(placed * 10, decisions * 9);
}

INSTANTIATE_TEST_SUITE_P(Placements, Reference, testing::ValuesIn(schedule::placement_names()),
                         [](const auto& param) { return param.param; });

}  // namespace

}  // namespace headroom::tests
