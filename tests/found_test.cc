// Faults that lives of random sites found (simtest/), each as the smallest story that shows it.
#include <gtest/gtest.h>

#include "tests/world.h"

namespace headroom::tests {

namespace {

// The first job of a user counts towards the user's limit like all others.
TEST(Found, LimitsCountTheFirstJobOfEachUser) {
  model::Queue queue{.name = "q"};
  queue.user_limits.running = 1;
  World world(gpu_cluster(2), {queue});
  std::vector<std::int64_t> jobs;
  for (const char* user : {"ana", "bo", "cy", "ana", "bo", "cy"}) {
    model::Job job = job_of("q", 1, 1, 60);
    job.user = user;
    jobs.push_back(world.submit(job));
  }
  world.cycle();
  for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(world.runs(jobs[i]), i < 3) << jobs[i];
}

// What is kept for a queue is not refused to it because an equal job of another queue was.
TEST(Found, NodesKeptForAQueueAreForItsJobs) {
  World world(gpu_cluster(1), {{.name = "q"}, {.name = "r"}});
  model::ReservationChanged kept;
  kept.window = {
      .name = "w", .nodes = "", .start = {}, .end = base::Time{60'000'000}, .queue = "r"};
  kept.nodes = {model::NodeId{0}};
  world.happen(kept);
  const std::int64_t other = world.submit(job_of("q", 1, 8, 60));
  const std::int64_t own = world.submit(job_of("r", 1, 8, 60));
  world.cycle();
  EXPECT_FALSE(world.runs(other));
  EXPECT_TRUE(world.runs(own));
}

model::Job in_one_leaf(model::Job job) {
  job.topology =
      model::TopologySpec{.required = model::Level::kLeaf, .preferred = {}, .segment = 0};
  return job;
}

// A lost member is replaced in the domain in which the others run, or not at all.
TEST(Found, ReplacementsJoinTheDomainOfTheOthers) {
  World world(gpu_cluster(4, "h100", 2), {{.name = "q"}});
  const std::int64_t gang = world.submit(in_one_leaf(job_of("q", 2, 8, 60)));
  world.cycle();
  const int lost = world.nodes_of(gang).front();
  const model::NodeId node{static_cast<std::size_t>(lost)};
  world.happen(model::NodeFailed{node, ""});
  world.cycle();
  EXPECT_EQ(world.running_tasks(gang), 1) << "the other leaf has two idle nodes";
  world.happen(model::NodeRecovered{node});
  world.cycle();
  EXPECT_EQ(world.running_tasks(gang), 2);
  EXPECT_EQ(world.nodes_of(gang).front(), lost);
}

// A required domain is one for the whole job, also when it has two groups.
TEST(Found, GroupsShareTheRequiredDomain) {
  World world(gpu_cluster(6, "h100", 3), {{.name = "q"}});
  model::Job job = in_one_leaf(job_of("q", 2, 8, 60));
  job.groups.push_back(job_of("q", 1, 1, 60).groups.front());
  const std::int64_t fits = world.submit(job);
  job.groups.back().tasks = 9;
  const std::int64_t never = world.submit(job);
  world.cycle();
  const std::vector<int> nodes = world.nodes_of(fits);
  EXPECT_EQ(nodes.front() / 3, nodes.back() / 3);
  EXPECT_EQ(nodes.size(), 3u);
  EXPECT_TRUE(world.rejected(never));
}

// The domain holds for jobs without GPUs as well.
TEST(Found, JobsWithoutGpusKeepToTheirDomain) {
  World world(gpu_cluster(4, "h100", 2), {{.name = "q"}});
  model::Job half = job_of("q", 1, 0, 60);
  half.groups.front().request.cpu = base::CpuMilli{60'000};
  const std::int64_t first = world.submit(half);
  world.cycle();
  model::Job pair = in_one_leaf(half);
  pair.groups.front().tasks = 2;
  const std::int64_t gang = world.submit(pair);
  world.cycle();
  const std::vector<int> nodes = world.nodes_of(gang);
  EXPECT_EQ(nodes.front() / 2, nodes.back() / 2);
  EXPECT_NE(nodes.front() / 2, world.nodes_of(first).front() / 2);
}

// A job that is changed while nodes are kept for it is planned for anew.
TEST(Found, ChangedJobsForgetTheirPlan) {
  World world(gpu_cluster(2), {{.name = "q"}}, "easy");
  world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  model::Job wide = job_of("q", 1, 8, 60);
  wide.groups.push_back(wide.groups.front());
  const std::int64_t waits = world.submit(wide);
  world.submit(job_of("q", 1, 1, 600));
  world.cycle();
  EXPECT_EQ(world.planned_start_minutes(waits), 60);
  world.happen(model::JobChanged{{waits, -1}, job_of("q", 1, 8, 60)});
  EXPECT_EQ(world.planned_start_minutes(waits), -1);
  world.cycle();
  EXPECT_TRUE(world.runs(waits));
}

// An array is known by its number while one of its elements is not finished.
TEST(Found, ArraysAreKnownByTheirNumber) {
  World world(gpu_cluster(1), {{.name = "q"}});
  model::Job job = job_of("q", 1, 1, 60);
  job.array = model::ArraySpec{.first = 0, .last = 1, .most_running = 0};
  const std::int64_t array = world.submit(job);
  model::JobSubmitted again{.id = {array, -1}, .job = job, .speed_permille = {}};
  EXPECT_FALSE(check(world.state(), again));
  model::Job after = job_of("q", 1, 1, 60);
  after.after = {{model::Dependency::Kind::kOk, array}};
  const std::int64_t waits = world.submit(after);
  world.cycle();
  EXPECT_EQ(world.entry(waits).status, schedule::JobStatus::kBlocked);
}

// A job that others moved back as often as they may is planned first, once, and stays there; a
// scheduler that starts with such a state knows it as well.
TEST(Found, ProtectedJobsStayWhereTheyAre) {
  World world(gpu_cluster(2), {{.name = "q"}}, "easy");
  const std::int64_t runs = world.submit(job_of("q", 1, 8, 60));
  world.cycle();
  const std::int64_t waits = world.submit(job_of("q", 2, 8, 60));
  world.submit(job_of("q", 1, 8, 30));
  world.cycle();
  ASSERT_TRUE(world.runs(runs));
  EXPECT_EQ(world.planned_start_minutes(waits), 60);
  for (int i = 0; i < 3; ++i) {
    world.decide(model::ReserveFor{{waits, -1}, base::Time{60 * 60'000}, {}, true});
  }
  world.new_scheduler();
  model::Job urgent = job_of("q", 1, 8, 600);
  urgent.priority = 1;
  world.pass(30);
  world.finish(3);
  const std::int64_t other = world.submit(urgent);
  for (int i = 0; i < 3; ++i) {
    world.cycle();
    EXPECT_EQ(world.planned_start_minutes(waits), 60);
    EXPECT_FALSE(world.runs(other));
  }
}

}  // namespace

}  // namespace headroom::tests
