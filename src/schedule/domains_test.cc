#include "schedule/domains.h"

#include <gtest/gtest.h>

namespace headroom::schedule {
namespace {

// Eight nodes: leaves of two, pods of four.
model::Fabric small_fabric() {
  model::Fabric fabric;
  const auto set = [&](model::Level level, std::uint32_t size) {
    const auto at = static_cast<std::size_t>(level);
    for (std::size_t node = 0; node < 8; ++node) fabric.domain_of[at].emplace_back(node / size);
    fabric.domains[at] = 8 / size;
  };
  set(model::Level::kNode, 1);
  set(model::Level::kLeaf, 2);
  set(model::Level::kPod, 4);
  return fabric;
}

using Levels = std::optional<model::Level>;

std::vector<std::int64_t> tasks_of(const std::optional<std::vector<Share>>& shares) {
  std::vector<std::int64_t> tasks;
  for (const Share& share : shares.value_or(std::vector<Share>{})) tasks.push_back(share.tasks);
  return tasks;
}

TEST(Divide, WithoutAWishAllNodesAreOneSet) {
  const auto shares = divide(small_fabric(), std::nullopt, {1, 1, 1, 1, 1, 1, 1, 1}, 5);
  ASSERT_TRUE(shares);
  EXPECT_EQ(shares->front().nodes.size(), 8u);
  EXPECT_FALSE(divide(small_fabric(), std::nullopt, {1, 1, 0, 0, 0, 0, 0, 0}, 3));
}

TEST(Divide, RequiredDomainHoldsAllOrNothing) {
  const model::TopologySpec wish{
      .required = model::Level::kPod, .preferred = Levels{}, .segment = 0};
  const auto shares = divide(small_fabric(), wish, {1, 1, 0, 0, 1, 1, 1, 0}, 2);
  ASSERT_TRUE(shares);
  EXPECT_EQ(shares->front().nodes.front(), 0u) << "the pod with just two is tighter";
  EXPECT_FALSE(divide(small_fabric(), wish, {1, 1, 0, 0, 1, 1, 1, 0}, 4))
      << "five in all, in no pod";
}

TEST(Divide, PreferredLevelClimbsUntilOneDomainHolds) {
  const model::TopologySpec wish{
      .required = Levels{}, .preferred = model::Level::kLeaf, .segment = 0};
  // Three fit no leaf; the second pod holds them, over two leaves.
  const auto shares = divide(small_fabric(), wish, {1, 0, 1, 0, 1, 1, 1, 1}, 3);
  ASSERT_TRUE(shares);
  EXPECT_EQ(tasks_of(shares), (std::vector<std::int64_t>{1, 2}));
  for (const Share& share : *shares) EXPECT_GE(share.nodes.front(), 4u);
}

TEST(Divide, SegmentsStayWhole) {
  const model::TopologySpec wish{
      .required = Levels{}, .preferred = model::Level::kLeaf, .segment = 2};
  // Leaves with room for 3, 1, 2, 2: three segments of two fit, four do not.
  const std::vector<std::int64_t> room = {2, 1, 1, 0, 1, 1, 2, 0};
  EXPECT_EQ(tasks_of(divide(small_fabric(), wish, room, 6)), (std::vector<std::int64_t>{2, 2, 2}));
  EXPECT_FALSE(divide(small_fabric(), wish, room, 8));
}

// Tasks are numbered through the shares: the one that ends within a segment must be the last.
TEST(Divide, BrokenSegmentComesLast) {
  const model::TopologySpec wish{
      .required = Levels{}, .preferred = model::Level::kLeaf, .segment = 2};
  const std::vector<std::int64_t> room = {1, 1, 1, 1, 0, 0, 0, 0};
  EXPECT_EQ(tasks_of(divide(small_fabric(), wish, room, 3)), (std::vector<std::int64_t>{2, 1}));
}

TEST(Divide, NodeOfUnknownPlaceIsInNoDomain) {
  model::Fabric fabric = small_fabric();
  for (auto& domain : fabric.domain_of[static_cast<std::size_t>(model::Level::kLeaf)]) {
    domain = model::DomainId{};
  }
  const model::TopologySpec wish{
      .required = model::Level::kLeaf, .preferred = Levels{}, .segment = 0};
  EXPECT_FALSE(divide(fabric, wish, {8, 8, 8, 8, 8, 8, 8, 8}, 1));
}

}  // namespace
}  // namespace headroom::schedule
