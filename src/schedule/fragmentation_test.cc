#include "schedule/fragmentation.h"

#include <gtest/gtest.h>

namespace headroom::schedule {
namespace {

model::Cluster one_node(int gpus, std::int64_t cpu_milli) {
  model::Cluster cluster;
  cluster.gpu_models.push_back({.name = "T4", .memory = base::gigabytes(16)});
  const auto shape = cluster.intern_shape({.pool = "p",
                                           .cpu = base::CpuMilli{cpu_milli},
                                           .memory = base::gibibytes(256),
                                           .gpu_model = model::GpuModelId{0},
                                           .gpus = gpus});
  cluster.nodes.push_back({"n", shape});
  return cluster;
}

NodeState node_with(std::int64_t cpu, const std::vector<int>& free) {
  NodeState node;
  node.cpu = base::CpuMilli{cpu};
  for (std::size_t i = 0; i < free.size(); ++i) node.gpus[i] = Device::shared(free[i]);
  node.sum_up(static_cast<int>(free.size()));
  return node;
}

TaskClass task_class(std::int64_t cpu, model::GpuRequest gpu, std::int64_t count) {
  return {{.cpu = base::CpuMilli{cpu}, .gpu = std::move(gpu)}, count};
}

const model::ShapeId kShape{0};

// Test vectors of the authors' unit tests (docs/placement.md, "The published rules").
TEST(Fragmentation, PublishedVectorTooSmallGpus) {
  const Fragmentation f(one_node(4, 64'000), {task_class(1000, model::GpuRequest::whole(2), 1)});
  EXPECT_EQ(f.of(node_with(64'000, {200, 1000, 1000, 500}), kShape), 700);
}

TEST(Fragmentation, PublishedVectorCpuLacking) {
  // A class with p = 0.0933 that lacks CPU: 0.0933 x 2700 = 251.91. The other 0.9067 is a class
  // that wastes nothing here.
  const Fragmentation f(one_node(4, 64'000),
                        {task_class(6000, model::GpuRequest::fraction(base::GpuMilli{465}), 933),
                         task_class(0, model::GpuRequest::fraction(base::GpuMilli{1}), 9067)});
  EXPECT_EQ(f.weight(), 10'000);
  EXPECT_EQ(f.of(node_with(1000, {200, 1000, 1000, 500}), kShape), 2'519'100);
}

TEST(Fragmentation, ClassWithoutGpusWastesAll) {
  const Fragmentation f(one_node(2, 64'000), {task_class(1000, {}, 3)});
  EXPECT_EQ(f.of(node_with(64'000, {1000, 400}), kShape), 3 * 1400);
}

TEST(Fragmentation, ModelThatIsNotAcceptedWastesAll) {
  TaskClass wants_other = task_class(0, model::GpuRequest::whole(1), 2);
  wants_other.request.gpu_models = {"H100-SXM"};
  const Fragmentation f(one_node(2, 64'000), {wants_other});
  EXPECT_EQ(f.of(node_with(64'000, {1000, 1000}), kShape), 2 * 2000);
}

}  // namespace
}  // namespace headroom::schedule
