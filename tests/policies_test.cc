// What each of the policies to compare with is known for, on a few jobs.
#include <gtest/gtest.h>

#include <map>

#include "tests/world.h"

namespace headroom::tests {

namespace {

// One node without GPUs.
model::Cluster cpu_node(std::int64_t cores, std::int64_t gib) {
  model::Cluster cluster;
  const model::NodeShape shape{
      .pool = "cpu", .cpu = base::CpuMilli{1000 * cores}, .memory = base::gibibytes(gib)};
  cluster.nodes.push_back({"cpu0", cluster.intern_shape(shape)});
  return cluster;
}

model::Job cpu_job(const std::string& queue, std::int64_t cores, std::int64_t gib) {
  model::Job job = job_of(queue, 1, 0, 60);
  job.groups.front().request.cpu = base::CpuMilli{1000 * cores};
  job.groups.front().request.memory = base::gibibytes(gib);
  return job;
}

int running(const World& world, const std::vector<std::int64_t>& jobs) {
  int count = 0;
  for (const std::int64_t job : jobs) count += world.runs(job) ? 1 : 0;
  return count;
}

// The example of the paper: 9 CPUs and 18 GB; tasks of <1 CPU, 4 GB> and <3 CPU, 1 GB>. Three of
// the first and two of the second give both users two thirds of their dominant resource.
TEST(Drf, ExampleOfThePaper) {
  World world(cpu_node(9, 18), {{.name = "a"}, {.name = "b"}}, "drf");
  std::vector<std::int64_t> a;
  std::vector<std::int64_t> b;
  for (int i = 0; i < 6; ++i) a.push_back(world.submit(cpu_job("a", 1, 4)));
  for (int i = 0; i < 6; ++i) b.push_back(world.submit(cpu_job("b", 3, 1)));
  world.cycle();
  EXPECT_EQ(running(world, a), 3);
  EXPECT_EQ(running(world, b), 2);
}

// Twice the weight, twice the dominant share.
TEST(Drf, SharesGoByWeight) {
  World world(gpu_cluster(3), {{.name = "a", .weight = 2}, {.name = "b"}}, "drf");
  std::vector<std::int64_t> a;
  std::vector<std::int64_t> b;
  for (int i = 0; i < 24; ++i) b.push_back(world.submit(job_of("b", 1, 1, 60)));
  for (int i = 0; i < 24; ++i) a.push_back(world.submit(job_of("a", 1, 1, 60)));
  world.cycle();
  EXPECT_EQ(running(world, a), 16);
  EXPECT_EQ(running(world, b), 8);
}

// A team shares with the other teams first; its projects share what the team has.
TEST(Drf, SharesGoDownTheTree) {
  const std::vector<model::Queue> queues = {
      {.name = "team"}, {.name = "team/x"}, {.name = "team/y"}, {.name = "solo"}};
  World world(gpu_cluster(2), queues, "drf");
  std::map<std::string, std::vector<std::int64_t>> jobs;
  for (const char* queue : {"team/x", "team/y", "solo"}) {
    for (int i = 0; i < 16; ++i) jobs[queue].push_back(world.submit(job_of(queue, 1, 1, 60)));
  }
  world.cycle();
  EXPECT_EQ(running(world, jobs["solo"]), 8);
  EXPECT_EQ(running(world, jobs["team/x"]), 4);
  EXPECT_EQ(running(world, jobs["team/y"]), 4);
}

}  // namespace

}  // namespace headroom::tests
