#include "schedule/fair_share.h"

#include <algorithm>

#include "schedule/water_fill.h"

namespace headroom::schedule {

namespace {

constexpr std::int64_t kMillion = 1'000'000;

class Sharing {
 public:
  Sharing(const QueueTree& tree, const FairShareInput& input)
      : tree_(tree), input_(input), share_(tree.size(), 0) {}

  void level(const std::vector<QueueId>& siblings, std::int64_t amount) {
    std::vector<Claim> claims;
    for (QueueId id : siblings) {
      const std::int64_t wants = wanted(id);
      const std::int64_t first = std::min(input_.promised[id.index()], wants);
      share_[id.index()] = first;
      amount -= first;
      claims.push_back({wants - first, 0, tree_[id].priority});
    }
    set_weights(siblings, claims);
    const std::vector<std::int64_t> surplus = water_fill(std::max<std::int64_t>(amount, 0), claims);
    for (std::size_t i = 0; i < siblings.size(); ++i) {
      share_[siblings[i].index()] += surplus[i];
    }
    for (QueueId id : siblings) {
      if (!tree_[id].leaf()) level(tree_[id].children, share_[id.index()]);
    }
  }

  std::vector<std::int64_t> take() { return std::move(share_); }

 private:
  std::int64_t wanted(QueueId id) const {
    return std::min(input_.demand[id.index()], tree_[id].limit[input_.pool.index()]);
  }

  // Weights among the siblings that still want something, in millionths.
  void set_weights(const std::vector<QueueId>& siblings, std::vector<Claim>& claims) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < siblings.size(); ++i) {
      if (claims[i].need > 0) sum += tree_[siblings[i]].weight;
    }
    if (sum == 0) return;
    for (std::size_t i = 0; i < siblings.size(); ++i) {
      if (claims[i].need == 0) continue;
      const std::int64_t own = tree_[siblings[i]].weight * kMillion / sum;
      const std::int64_t past = input_.past_ppm[siblings[i].index()];
      claims[i].weight = std::max<std::int64_t>(0, own + input_.k_permille * (own - past) / 1000);
    }
  }

  const QueueTree& tree_;
  const FairShareInput& input_;
  std::vector<std::int64_t> share_;
};

}  // namespace

std::vector<std::int64_t> fair_share(const QueueTree& tree, const FairShareInput& input) {
  Sharing sharing(tree, input);
  sharing.level(tree.top(), input.capacity);
  return sharing.take();
}

}  // namespace headroom::schedule
