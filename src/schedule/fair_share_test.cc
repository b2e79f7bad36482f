#include "schedule/fair_share.h"

#include <gtest/gtest.h>

namespace headroom::schedule {
namespace {

using Amounts = std::vector<std::int64_t>;

model::Queue queue(std::string name, std::int64_t guarantee, std::int64_t weight = 1) {
  model::Queue made{.name = std::move(name), .weight = weight};
  if (guarantee > 0) made.guarantee.push_back({"h100", guarantee});
  return made;
}

const PoolId kH100{0};

FairShareInput input(const QueueTree& tree, std::int64_t gpus, Amounts demand) {
  FairShareInput made{.pool = kH100, .capacity = gpus * 1000, .demand = std::move(demand)};
  for (std::int64_t& one : made.demand) one *= 1000;
  made.promised = tree.promises(kH100, made.capacity);
  made.past_ppm.assign(tree.size(), 0);
  made.k_permille = 0;
  return made;
}

TEST(QueueTree, WithoutGuaranteesTopLevelQueuesGetTheirWeightsShare) {
  const QueueTree tree({queue("b", 0, 2), queue("a", 0), queue("a/x", 0)}, {"h100"});
  EXPECT_EQ(tree.promises(kH100, 10'000), (Amounts{3000, 0, 7000}));  // a, a/x, b
}

TEST(QueueTree, OneGuaranteeMeansTheOthersHaveNone) {
  const QueueTree tree({queue("a", 4), queue("b", 0)}, {"h100"});
  EXPECT_EQ(tree.promises(kH100, 10'000), (Amounts{4000, 0}));
}

TEST(QueueTree, ShortageIsSharedInProportion) {
  const QueueTree tree({queue("a", 6), queue("a/x", 4), queue("a/y", 2), queue("b", 3)}, {"h100"});
  EXPECT_EQ(tree.promises(kH100, 6000), (Amounts{4000, 2667, 1333, 2000}));
}

TEST(FairShare, IdleGuaranteesAreLentByWeight) {
  const QueueTree tree({queue("a", 6), queue("b", 2, 3), queue("c", 0, 1)}, {"h100"});
  // a wants 2 of its 6: the other 4 and the 2 that nobody is promised go to b and c, 3 : 1.
  EXPECT_EQ(fair_share(tree, input(tree, 10, {2, 10, 10})), (Amounts{2000, 6500, 1500}));
}

TEST(FairShare, LimitsHoldWhenBorrowing) {
  model::Queue limited = queue("b", 2);
  limited.limit.push_back({"h100", 3});
  const QueueTree tree({queue("a", 6), limited}, {"h100"});
  EXPECT_EQ(fair_share(tree, input(tree, 10, {1, 10})), (Amounts{1000, 3000}));
}

TEST(FairShare, ChildrenShareWhatTheirParentGets) {
  const QueueTree tree({queue("a", 4), queue("a/x", 3), queue("a/y", 0), queue("b", 4)}, {"h100"});
  // a: 4 and half of the 2 spare = 5; inside it x keeps its 3, y gets the other 2.
  EXPECT_EQ(fair_share(tree, input(tree, 10, {20, 3, 20, 20})), (Amounts{5000, 3000, 2000, 5000}));
}

TEST(FairShare, WhoUsedMoreInThePastGetsLessOfTheSurplus) {
  const QueueTree tree({queue("a", 1), queue("b", 1)}, {"h100"});
  FairShareInput used = input(tree, 10, {10, 10});
  used.k_permille = 1000;
  used.past_ppm = {750'000, 250'000};  // weights 0.5 + (0.5 - 0.75) and 0.5 + (0.5 - 0.25)
  EXPECT_EQ(fair_share(tree, used), (Amounts{1000 + 2000, 1000 + 6000}));
}

TEST(FairShare, GuaranteesStandWhateverThePast) {
  const QueueTree tree({queue("a", 5), queue("b", 5)}, {"h100"});
  FairShareInput used = input(tree, 10, {10, 10});
  used.k_permille = 1000;
  used.past_ppm = {1'000'000, 0};
  EXPECT_EQ(fair_share(tree, used), (Amounts{5000, 5000}));
}

}  // namespace
}  // namespace headroom::schedule
