// What each of the policies to compare with is known for, on a few jobs.
// Times: las lets 18,000 GPU-seconds pass before a job goes down (37.5 minutes of 8 GPUs), and
// nobody is stopped in the first 35 minutes.
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

std::vector<std::int64_t> submit(World& world, int count, const model::Job& job) {
  std::vector<std::int64_t> jobs;
  for (int i = 0; i < count; ++i) jobs.push_back(world.submit(job));
  return jobs;
}

// Cycles until nothing is stopped any more; what is stopped lets go at once. Returns how many were.
int settle(World& world) {
  int stopped = 0;
  for (bool again = true; again;) {
    again = false;
    world.cycle();
    const schedule::State& state = world.state();
    for (const schedule::JobSlot slot : std::vector(state.running())) {
      const schedule::JobEntry& job = state.job(slot);
      if (job.status != schedule::JobStatus::kStopping) continue;
      using Outcome = model::AllocationEnded::Outcome;
      world.happen(model::AllocationEnded{{job.spec->id, job.attempt}, Outcome::kStopped, 0});
      ++stopped;
      again = true;
    }
  }
  return stopped;
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

// Who has held enough gives way to who has held less; then they are equals again, and the older one
// comes first.
TEST(Las, WhoHeldEnoughGivesWay) {
  World world(gpu_cluster(1), {{.name = "q"}}, "las");
  const std::int64_t old = world.submit(job_of("q", 1, 8, 600));
  world.cycle();
  world.pass(10);
  const std::int64_t fresh = world.submit(job_of("q", 1, 8, 600));
  world.pass(27);
  EXPECT_EQ(settle(world), 0) << "37 minutes of 8 GPUs are too few";
  world.pass(1);
  EXPECT_EQ(settle(world), 1);
  EXPECT_TRUE(world.runs(fresh));
  EXPECT_FALSE(world.runs(old));
  world.pass(37);
  EXPECT_EQ(settle(world), 0);
  world.pass(1);
  EXPECT_EQ(settle(world), 1);
  EXPECT_TRUE(world.runs(old));
}

TEST(Las, StopsTheFewestThatSuffice) {
  World world(gpu_cluster(2), {{.name = "q"}}, "las");
  const std::vector<std::int64_t> old = submit(world, 4, job_of("q", 1, 4, 600));
  world.cycle();
  world.pass(120);
  const std::int64_t fresh = world.submit(job_of("q", 1, 3, 600));
  EXPECT_EQ(settle(world), 1);
  EXPECT_TRUE(world.runs(fresh));
  EXPECT_EQ(running(world, old), 3);
  EXPECT_FALSE(world.runs(old.back())) << "the last in order";
}

// Nobody is stopped for a job that could not start all the same.
TEST(Las, StopsNobodyInVain) {
  World world(gpu_cluster(2), {{.name = "q"}}, "las");
  model::Job service = job_of("q", 1, 8, 600);
  service.preemptible = false;
  const std::int64_t firm = world.submit(service);
  const std::int64_t old = world.submit(job_of("q", 1, 8, 600));
  world.cycle();
  world.pass(120);
  world.submit(job_of("q", 2, 8, 600));
  EXPECT_EQ(settle(world), 0);
  EXPECT_TRUE(world.runs(firm) && world.runs(old));
}

TEST(DrfPreempt, WhoHasTooMuchGivesHalf) {
  World world(gpu_cluster(2), {{.name = "a"}, {.name = "b"}}, "drf_preempt");
  const std::vector<std::int64_t> a = submit(world, 20, job_of("a", 1, 1, 6000));
  world.cycle();
  EXPECT_EQ(running(world, a), 16);
  world.pass(34);
  const std::vector<std::int64_t> b = submit(world, 20, job_of("b", 1, 1, 6000));
  EXPECT_EQ(settle(world), 0) << "they have only begun";
  world.pass(1);
  EXPECT_EQ(settle(world), 8);
  EXPECT_EQ(running(world, a), 8);
  EXPECT_EQ(running(world, b), 8);
  for (int i = 0; i < 5; ++i) {
    world.pass(60);
    EXPECT_EQ(settle(world), 0) << "everybody has an equal share";
  }
}

TEST(DrfPreempt, NobodyIsStoppedForMoreThanAShare) {
  World world(gpu_cluster(2), {{.name = "a"}, {.name = "b"}}, "drf_preempt");
  const std::vector<std::int64_t> a = submit(world, 16, job_of("a", 1, 1, 6000));
  world.cycle();
  world.pass(120);
  const std::int64_t large = world.submit(job_of("b", 2, 5, 600));
  EXPECT_EQ(settle(world), 0) << "b would have ten of sixteen";
  const std::int64_t half = world.submit(job_of("b", 2, 4, 600));
  EXPECT_EQ(settle(world), 8);
  EXPECT_TRUE(world.runs(half));
  EXPECT_FALSE(world.runs(large));
}

// Queues of one team do not take from each other what the other team has too much of.
TEST(DrfPreempt, TakesWherePathsPart) {
  const std::vector<model::Queue> queues = {
      {.name = "team"}, {.name = "team/x"}, {.name = "team/y"}, {.name = "solo"}};
  World world(gpu_cluster(2), queues, "drf_preempt");
  const std::vector<std::int64_t> x = submit(world, 4, job_of("team/x", 1, 1, 6000));
  const std::vector<std::int64_t> solo = submit(world, 12, job_of("solo", 1, 1, 6000));
  world.cycle();
  world.pass(120);
  const std::vector<std::int64_t> y = submit(world, 16, job_of("team/y", 1, 1, 6000));
  EXPECT_EQ(settle(world), 4);
  EXPECT_EQ(running(world, solo), 8);
  EXPECT_EQ(running(world, x), 4);
  EXPECT_EQ(running(world, y), 4);
}

schedule::PolicySettings slurm(model::SlurmPriority priority) {
  schedule::PolicySettings settings;
  settings.slurm.priority = std::move(priority);
  return settings;
}

// Two jobs wait for a node that a's job has held for ten hours: a's was there first.
World after_long_use(const schedule::PolicySettings& settings) {
  World world(gpu_cluster(1), {{.name = "a"}, {.name = "b"}}, "slurm", settings);
  world.submit(job_of("a", 1, 8, 600));
  world.cycle();
  world.pass(590);
  world.submit(job_of("a", 1, 8, 60));
  world.submit(job_of("b", 1, 8, 60));
  world.cycle();
  world.pass(10);
  world.finish(1);
  world.cycle();
  return world;
}

TEST(Slurm, WhoUsedLessComesFirst) {
  EXPECT_TRUE(after_long_use({}).runs(3)) << "the weights of the manual's sample";
}

TEST(Slurm, WithoutWeightsFirstComeFirstServed) {
  EXPECT_TRUE(after_long_use(slurm({})).runs(2)) << "the defaults of slurm.conf";
  model::SlurmPriority basic = model::example_slurm_priority();
  basic.multifactor = false;
  EXPECT_TRUE(after_long_use(slurm(basic)).runs(2));
}

TEST(Slurm, UsersOfAnAccountShareIt) {
  World world(gpu_cluster(1), {{.name = "a"}}, "slurm");
  world.submit(job_of("a", 1, 8, 60));
  world.cycle();
  world.pass(60);
  world.submit(job_of("a", 1, 8, 60));
  model::Job other = job_of("a", 1, 8, 60);
  other.user = "ben";
  const std::int64_t bens = world.submit(other);
  world.finish(1);
  world.cycle();
  EXPECT_TRUE(world.runs(bens));
}

TEST(Slurm, LargeJobsOrSmallOnesFirst) {
  for (const bool favor_small : {false, true}) {
    World world(gpu_cluster(1), {{.name = "q"}}, "slurm",
                slurm({.job_size = 1000, .favor_small = favor_small}));
    const std::int64_t small = world.submit(job_of("q", 1, 1, 60));
    const std::int64_t large = world.submit(job_of("q", 1, 8, 60));
    world.cycle();
    EXPECT_EQ(world.runs(small), favor_small);
    EXPECT_EQ(world.runs(large), !favor_small);
  }
}

// Three nodes are busy until 60, 50 and 40 minutes; a gang of two is planned for 50. At 10 the
// first becomes free. Others leave the gang the nodes that it was promised: ten minutes are not
// worth a new plan, and a long job may have the free node. Slurm plans the gang on that, for 40.
TEST(Slurm, PlansAnewEachTime) {
  for (const std::string policy : {"conservative", "slurm"}) {
    World world(gpu_cluster(3), {{.name = "q"}}, policy, slurm({}));
    const std::int64_t first = world.submit(job_of("q", 1, 7, 60));
    world.submit(job_of("q", 1, 8, 50));
    world.submit(job_of("q", 1, 8, 40));
    world.cycle();
    const std::int64_t gang = world.submit(job_of("q", 2, 8, 60));
    world.submit(job_of("q", 1, 1, 20));  // plans are made when others could start
    world.cycle();
    EXPECT_EQ(world.planned_start_minutes(gang), 50) << policy;
    world.pass(10);
    world.finish(first);
    const std::int64_t long_one = world.submit(job_of("q", 1, 1, 600));
    world.cycle();
    EXPECT_EQ(world.planned_start_minutes(gang), policy == "slurm" ? 40 : 50) << policy;
    EXPECT_EQ(world.runs(long_one), policy != "slurm");
  }
}

// What was refused to a job is not looked at again for its equals; a shorter one still gets the gap
// before the gang, on the node that is free from 60 to 100.
TEST(Plans, ShorterJobsFillGapsThatEqualOnesWereRefused) {
  for (const std::string policy : {"conservative", "slurm"}) {
    World world(gpu_cluster(2), {{.name = "q"}}, policy, slurm({}));
    world.submit(job_of("q", 1, 8, 60));
    world.submit(job_of("q", 1, 7, 100));
    world.cycle();
    std::vector<std::int64_t> jobs{world.submit(job_of("q", 2, 8, 60))};
    for (const int minutes : {50, 50, 30, 60}) {
      jobs.push_back(world.submit(job_of("q", 1, 8, minutes)));
    }
    world.submit(job_of("q", 1, 1, 20));  // plans are made when others could start
    world.cycle();
    const std::vector<int> starts{100, 160, 160, 60, 210};
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      EXPECT_EQ(world.planned_start_minutes(jobs[i]), starts[i]) << policy << " " << i;
    }
  }
}

TEST(Slurm, QosOfTheHistoryCounts) {
  schedule::PolicySettings settings = slurm({.qos = 1000});
  settings.slurm.fixed = {0, 0, 1};
  World world(gpu_cluster(1), {{.name = "q"}}, "slurm", settings);
  world.submit(job_of("q", 1, 8, 60));
  const std::int64_t better = world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  EXPECT_TRUE(world.runs(better));
}

// A gang of both nodes must wait for the end of what runs on one. Whether a long job may start on
// the other, which would delay it, is a question of how far the plan looks.
TEST(Slurm, PlansNoFurtherThanItsWindow) {
  for (const std::int64_t hours : {10, 30}) {
    World world(gpu_cluster(2), {{.name = "q"}}, "slurm", slurm({}));
    world.submit(job_of("q", 1, 8, 60 * hours));
    world.cycle();
    const std::int64_t gang = world.submit(job_of("q", 2, 8, 60));
    const std::int64_t behind = world.submit(job_of("q", 1, 8, 6000));
    world.cycle();
    EXPECT_EQ(world.planned_start_minutes(gang), hours == 10 ? 600 : -1);
    EXPECT_EQ(world.runs(behind), hours == 30);
  }
}

TEST(Slurm, LooksAtSoManyJobs) {
  for (const std::int64_t depth : {1, 2}) {
    World world(gpu_cluster(2), {{.name = "q"}}, "slurm", slurm({.backfill_depth = depth}));
    world.submit(job_of("q", 1, 8, 600));
    world.cycle();
    world.submit(job_of("q", 2, 8, 60));
    const std::int64_t behind = world.submit(job_of("q", 1, 8, 60));
    world.cycle();
    EXPECT_EQ(world.runs(behind), depth == 2);
  }
}

}  // namespace

}  // namespace headroom::tests
