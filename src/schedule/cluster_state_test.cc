#include "schedule/cluster_state.h"

#include <gtest/gtest.h>

namespace headroom::schedule {
namespace {

// Two nodes with 2 GPUs of 24 GB that can be cut into 4 slices, and one without GPUs.
std::shared_ptr<const model::Cluster> small_cluster() {
  auto cluster = std::make_shared<model::Cluster>();
  cluster->gpu_models.push_back(
      {.name = "A30",
       .memory = base::gigabytes(24),
       .mig_slices = 4,
       .mig_profiles = {
           {"1g.6gb", 1, 0x0f, 4}, {"1g.6gb+me", 1, 0x0f, 1}, {"2g.12gb", 2, 0x05, 2}}});
  const auto gpu = cluster->intern_shape({.pool = "a30",
                                          .cpu = base::CpuMilli{32'000},
                                          .memory = base::gibibytes(128),
                                          .gpu_model = model::GpuModelId{0},
                                          .gpus = 2,
                                          .mig = true});
  const auto plain = cluster->intern_shape(
      {.pool = "cpu", .cpu = base::CpuMilli{64'000}, .memory = base::gibibytes(256)});
  cluster->nodes = {{"a", gpu}, {"b", gpu}, {"c", plain}};
  return cluster;
}

const model::NodeId kA{0}, kB{1}, kC{2};

bool fits_on(ClusterState& state, const model::Request& request, model::NodeId node) {
  const RequestId id = state.intern(request);
  return fits(state.node(node), state.demand(id, node), state.mig_table(state.shape_id(node)));
}

AllocationId put(ClusterState& state, TaskId task, const model::Request& request,
                 model::NodeId node) {
  const RequestId id = state.intern(request);
  EXPECT_TRUE(fits_on(state, request, node));
  return state.place(
      task, id, node,
      tightest_devices(state.node(node), state.shape(node).gpus, state.demand(id, node),
                       state.mig_table(state.shape_id(node))));
}

model::Request share(std::int64_t milli) {
  return {.gpu = model::GpuRequest::fraction(base::GpuMilli{milli})};
}

TEST(ClusterState, SharesAreSummedPerGpuAndNeverAcross) {
  ClusterState state(small_cluster());
  put(state, 1, share(600), kA);
  put(state, 2, share(600), kA);
  EXPECT_FALSE(fits_on(state, share(600), kA)) << "800 milli are free, but 400 on each GPU";
  EXPECT_TRUE(fits_on(state, share(400), kA));
}

TEST(ClusterState, RequestOfTheWholeDeviceFits) {
  ClusterState state(small_cluster());
  EXPECT_TRUE(fits_on(state, share(1000), kA));
  EXPECT_TRUE(fits_on(state, {.gpu = model::GpuRequest::amount(base::gigabytes(24))}, kA));
  EXPECT_FALSE(fits_on(state, {.gpu = model::GpuRequest::amount(base::Bytes{24'000'000'001})}, kA));
  EXPECT_TRUE(fits_on(state, {.cpu = base::CpuMilli{32'000}, .memory = base::gibibytes(128)}, kA));
}

TEST(ClusterState, GpuIsSharedOrCutButNeverBoth) {
  ClusterState state(small_cluster());
  put(state, 1, {.gpu = model::GpuRequest::mig("1g.6gb")}, kA);
  put(state, 2, share(300), kA);
  EXPECT_FALSE(fits_on(state, share(701), kA)) << "one GPU has 700 left, the other is in MIG mode";
  EXPECT_TRUE(fits_on(state, {.gpu = model::GpuRequest::mig("2g.12gb")}, kA));
  EXPECT_FALSE(fits_on(state, {.gpu = model::GpuRequest::whole(1)}, kA));
}

TEST(ClusterState, OnlyOneInstanceOfAGpuHoldsTheMediaEngines) {
  ClusterState state(small_cluster());
  const model::Request media{.gpu = model::GpuRequest::mig("1g.6gb+me")};
  const AllocationId first = put(state, 1, media, kA);
  put(state, 2, media, kA);
  EXPECT_FALSE(fits_on(state, media, kA));
  state.release(first);
  EXPECT_TRUE(fits_on(state, media, kA));
}

TEST(ClusterState, GpuIsIdleAgainWhenItsLastInstanceLeaves) {
  ClusterState state(small_cluster());
  const std::uint64_t empty = state.digest();
  const AllocationId one = put(state, 1, {.gpu = model::GpuRequest::mig("1g.6gb")}, kA);
  EXPECT_NE(state.digest(), empty);
  state.release(one);
  EXPECT_EQ(state.digest(), empty);
  EXPECT_TRUE(fits_on(state, {.gpu = model::GpuRequest::whole(2)}, kA));
}

TEST(ClusterState, ExclusiveTaskWantsAnEmptyNodeAndKeepsOthersOff) {
  ClusterState state(small_cluster());
  const model::Request alone{.cpu = base::CpuMilli{1000}, .exclusive = true};
  const AllocationId other = put(state, 1, share(100), kA);
  EXPECT_FALSE(fits_on(state, alone, kA));
  state.release(other);
  const AllocationId held = put(state, 2, alone, kA);
  EXPECT_FALSE(fits_on(state, share(100), kA));
  state.release(held);
  EXPECT_TRUE(fits_on(state, share(100), kA));
}

TEST(ClusterState, DigestDoesNotDependOnHistory) {
  ClusterState one(small_cluster());
  ClusterState other(small_cluster());
  put(one, 1, share(300), kA);
  put(one, 2, share(400), kB);
  other.intern({.cpu = base::CpuMilli{5}});  // another order of interning
  put(other, 2, share(400), kB);
  const AllocationId passing = put(other, 9, {.gpu = model::GpuRequest::whole(1)}, kB);
  put(other, 1, share(300), kA);
  EXPECT_NE(one.digest(), other.digest());
  other.release(passing);
  EXPECT_EQ(one.digest(), other.digest());
}

TEST(ClusterState, DigestTellsTasksAndNodesApart) {
  ClusterState one(small_cluster());
  ClusterState other(small_cluster());
  ClusterState third(small_cluster());
  put(one, 1, share(300), kA);
  put(other, 2, share(300), kA);
  put(third, 1, share(300), kB);
  EXPECT_NE(one.digest(), other.digest());
  EXPECT_NE(one.digest(), third.digest());
}

TEST(ClusterState, UndoRestoresNestedTrials) {
  ClusterState state(small_cluster());
  const AllocationId kept = put(state, 1, share(300), kA);
  const std::uint64_t outer_digest = state.digest();
  const ClusterState::Mark outer = state.mark();
  state.release(kept);
  put(state, 2, {.gpu = model::GpuRequest::mig("2g.12gb")}, kA);
  const std::uint64_t inner_digest = state.digest();
  const ClusterState::Mark inner = state.mark();
  put(state, 3, share(500), kB);
  state.set_schedulable(kC, false);
  state.undo(inner);
  EXPECT_EQ(state.digest(), inner_digest);
  state.undo(outer);
  EXPECT_EQ(state.digest(), outer_digest);
  EXPECT_EQ(state.allocation_count(), 1u);
  EXPECT_EQ(state.first_allocation(kA), kept);
}

TEST(ClusterState, KeptChangesOfAnInnerTrialAreUndoneWithTheOuter) {
  ClusterState state(small_cluster());
  const std::uint64_t before = state.digest();
  const ClusterState::Mark outer = state.mark();
  const ClusterState::Mark inner = state.mark();
  put(state, 1, share(500), kA);
  state.keep(inner);
  state.undo(outer);
  EXPECT_EQ(state.digest(), before);
}

TEST(ClusterState, CopyIsIndependent) {
  ClusterState state(small_cluster());
  put(state, 1, share(300), kA);
  const std::uint64_t before = state.digest();
  ClusterState copy = state;
  EXPECT_EQ(copy.digest(), before);
  put(copy, 2, {.cpu = base::CpuMilli{7}, .gpu = model::GpuRequest::whole(1)}, kB);
  EXPECT_EQ(state.digest(), before);
  EXPECT_EQ(state.requests().size() + 1, copy.requests().size());
}

TEST(ClusterState, ListsTheAllocationsOfANode) {
  ClusterState state(small_cluster());
  const AllocationId a = put(state, 1, share(100), kA);
  put(state, 2, share(100), kB);
  const AllocationId c = put(state, 3, share(100), kA);
  EXPECT_EQ(state.first_allocation(kA), c);
  EXPECT_EQ(state.next_allocation(c), a);
  EXPECT_FALSE(state.next_allocation(a).valid());
  EXPECT_FALSE(state.first_allocation(kC).valid());
}

}  // namespace
}  // namespace headroom::schedule
