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

}  // namespace

}  // namespace headroom::tests
