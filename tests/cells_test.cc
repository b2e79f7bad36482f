// Cell guarantees: whole domains stay whole for the queue that is promised them.
#include "schedule/cells.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/world.h"

namespace headroom::tests {

namespace {

using model::Level;
using Kind = schedule::Reason::Kind;

model::Job firm(const std::string& queue, std::int64_t tasks, int gpus) {
  model::Job job = job_of(queue, tasks, gpus, 600);
  job.preemptible = false;
  return job;
}

// b may hold as many GPUs as a; what is at stake are the pieces.
std::vector<model::Queue> two_queues(std::int64_t cells, Level level, std::int64_t gpus_of_b) {
  return {{.name = "a", .cells = {{.pool = "", .level = level, .count = cells}}},
          {.name = "b", .guarantee = {{"h100", gpus_of_b}}}};
}

// Spread on purpose: tasks of five GPUs, so that no two share a node.
std::vector<std::int64_t> submit_fives(World& world, const std::string& queue, int count) {
  std::vector<std::int64_t> jobs;
  for (int i = 0; i < count; ++i) jobs.push_back(world.submit(firm(queue, 1, 5)));
  return jobs;
}

TEST(Cells, WhatCannotBePreemptedLeavesTheNodesOfOthersWhole) {
  World world(gpu_cluster(4), two_queues(2, Level::kNode, 16));
  const auto fives = submit_fives(world, "b", 3);
  const std::int64_t small = world.submit(firm("b", 1, 1));
  world.cycle();
  EXPECT_TRUE(world.runs(fives[0]));
  EXPECT_TRUE(world.runs(fives[1]));
  EXPECT_FALSE(world.runs(fives[2])) << "a third node";
  EXPECT_EQ(world.why(fives[2]).kind, Kind::kGuarantee);
  EXPECT_EQ(world.why(fives[2]).queue, world.state().queues().find("a"));
  EXPECT_TRUE(world.runs(small)) << "beside one of the two";

  const std::int64_t whole = world.submit(firm("a", 2, 8));
  world.cycle();
  EXPECT_TRUE(world.runs(whole));
  EXPECT_EQ(world.nodes_of(whole).size(), 2u);
}

TEST(Cells, WithoutCellsTheThirdNodeIsTaken) {
  World world(gpu_cluster(4), {{.name = "a", .guarantee = {{"h100", 16}}},
                               {.name = "b", .guarantee = {{"h100", 16}}}});
  const auto fives = submit_fives(world, "b", 3);
  world.cycle();
  const std::int64_t whole = world.submit(firm("a", 2, 8));
  world.cycle();
  EXPECT_TRUE(world.runs(fives[2]));
  EXPECT_FALSE(world.runs(whole)) << "what the test above is about";
}

TEST(Cells, PreemptibleJobsGoAnywhere) {
  World world(gpu_cluster(4), two_queues(2, Level::kNode, 16));
  const std::int64_t gang = world.submit(job_of("b", 4, 5, 60));
  world.cycle();
  EXPECT_EQ(world.nodes_of(gang).size(), 4u);
}

TEST(Cells, AnotherPlaceIsFound) {
  // The tightest place for one GPU is beside a's seven, but that node is a cell of a, who could not
  // have all three then.
  World world(gpu_cluster(4), two_queues(3, Level::kNode, 8));
  const std::int64_t own = world.submit(firm("a", 1, 7));
  const std::int64_t five = world.submit(firm("b", 1, 5));
  world.cycle();
  ASSERT_TRUE(world.runs(own) && world.runs(five));
  const std::int64_t small = world.submit(firm("b", 1, 1));
  const std::int64_t preemptible = world.submit(job_of("b", 1, 1, 60));
  world.cycle();
  ASSERT_TRUE(world.runs(small) && world.runs(preemptible));
  EXPECT_EQ(world.nodes_of(small), world.nodes_of(five));
  EXPECT_EQ(world.nodes_of(preemptible), world.nodes_of(own));
}

TEST(Cells, ThePromiseIsAlsoOneInGpus) {
  World world(gpu_cluster(4), two_queues(2, Level::kNode, 16));
  const schedule::QueueTree& tree = world.state().queues();
  EXPECT_EQ(tree.promises(schedule::PoolId{0}, 32'000),
            (std::vector<std::int64_t>{16'000, 16'000}));
  EXPECT_TRUE(tree.queues()[0].guarantee.empty()) << "the file says it in cells";
}

TEST(Cells, RacksAndNodesBelowThem) {
  // Two leaves of three nodes: one is a's, and of the other one node is c's.
  World world(gpu_cluster(6, "h100", 3),
              {{.name = "a", .cells = {{.pool = "h100", .level = Level::kLeaf, .count = 1}}},
               {.name = "b", .guarantee = {{"h100", 16}}},
               {.name = "c", .cells = {{.pool = "h100", .level = Level::kNode, .count = 1}}}});
  const auto fives = submit_fives(world, "b", 3);
  world.cycle();
  EXPECT_TRUE(world.runs(fives[0]));
  EXPECT_TRUE(world.runs(fives[1]));
  EXPECT_EQ(world.nodes_of(fives[0]).front() / 3, world.nodes_of(fives[1]).front() / 3);
  EXPECT_FALSE(world.runs(fives[2]));
  EXPECT_EQ(world.why(fives[2]).kind, Kind::kGuarantee);

  model::Job leaf = firm("a", 3, 8);
  leaf.topology = model::TopologySpec{.required = Level::kLeaf, .preferred = {}, .segment = 0};
  const std::int64_t gang = world.submit(leaf);
  const std::int64_t node = world.submit(firm("c", 1, 8));
  world.cycle();
  EXPECT_TRUE(world.runs(gang));
  EXPECT_TRUE(world.runs(node));
}

TEST(Cells, AFailedNodeIsNoCell) {
  World world(gpu_cluster(4), two_queues(2, Level::kNode, 16));
  world.happen(model::NodeFailed{model::NodeId{3}, "xid 79"});
  const auto fives = submit_fives(world, "b", 2);
  world.cycle();
  EXPECT_TRUE(world.runs(fives[0]));
  EXPECT_FALSE(world.runs(fives[1])) << "of three nodes two are a's";
}

TEST(Cells, AShortageIsNotAddedToAndOwnCellsAreUsed) {
  World world(gpu_cluster(4), two_queues(2, Level::kNode, 16));
  const auto fives = submit_fives(world, "b", 2);
  world.cycle();
  ASSERT_TRUE(world.runs(fives[1]));
  // Of the two that are left one fails: a is short of a node.
  const std::set<int> taken = {world.nodes_of(fives[0]).front(), world.nodes_of(fives[1]).front()};
  for (int node = 0; node < 4; ++node) {
    if (taken.count(node) > 0) continue;
    world.happen(model::NodeFailed{model::NodeId{static_cast<std::size_t>(node)}, "xid 79"});
    break;
  }
  const std::int64_t beside = world.submit(firm("b", 1, 1));
  const std::int64_t apart = world.submit(firm("b", 1, 4));
  const std::int64_t own = world.submit(firm("a", 1, 8));
  world.cycle();
  EXPECT_TRUE(world.runs(beside)) << "takes no node from a";
  EXPECT_FALSE(world.runs(apart));
  EXPECT_TRUE(world.runs(own));
}

TEST(Cells, WhatWouldAlwaysTakeTheCellsOfOthersIsRejected) {
  World world(gpu_cluster(4), two_queues(3, Level::kNode, 8));
  const std::int64_t two_nodes = world.submit([] {
    model::Job job = firm("b", 2, 4);
    job.groups.front().request.exclusive = true;
    return job;
  }());
  const std::int64_t one_node = world.submit(firm("b", 2, 4));
  world.cycle();
  EXPECT_TRUE(world.rejected(two_nodes)) << "b has one node beside a's three";
  EXPECT_TRUE(world.runs(one_node));
}

TEST(Cells, ChildrenUseTheCellsOfTheirParent) {
  World world(gpu_cluster(4),
              {{.name = "a", .cells = {{.pool = "", .level = Level::kNode, .count = 2}}},
               {.name = "a/x", .cells = {{.pool = "", .level = Level::kNode, .count = 1}}},
               {.name = "a/y"},
               {.name = "b", .guarantee = {{"h100", 16}}}});
  const std::int64_t of_y = world.submit(firm("a/y", 1, 8));
  const auto of_b = submit_fives(world, "b", 2);
  world.cycle();
  EXPECT_TRUE(world.runs(of_b[1]));
  EXPECT_TRUE(world.runs(of_y)) << "the cell of a that is not x's";
  const std::int64_t more = world.submit(firm("a/y", 1, 8));
  world.cycle();
  EXPECT_EQ(world.why(more).kind, Kind::kGuarantee);
  EXPECT_EQ(world.why(more).queue, world.state().queues().find("a/x"));
  const std::int64_t of_x = world.submit(firm("a/x", 1, 8));
  world.cycle();
  EXPECT_TRUE(world.runs(of_x)) << "x has one for certain";
}

}  // namespace

}  // namespace headroom::tests
