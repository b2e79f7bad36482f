#include "model/job.h"

#include <gtest/gtest.h>

#include "model/record.h"

namespace headroom::model {

TEST(Job, TheGangIsAllTasksUnlessSaid) {
  Job job;
  job.groups = {{.name = "launcher", .tasks = 1}, {.name = "worker", .tasks = 16}};
  EXPECT_EQ(job.tasks(), 17);
  EXPECT_EQ(job.gang_minimum(), 17);
  job.gang = 9;
  EXPECT_EQ(job.gang_minimum(), 9);
}

TEST(Job, OnlyServicesAndWorkspacesAreNotPreemptibleByDefault) {
  Job job;
  job.kind = JobKind::kService;
  EXPECT_FALSE(job.is_preemptible());
  job.preemptible = true;
  EXPECT_TRUE(job.is_preemptible());
  job = Job{};
  job.kind = JobKind::kFineTuning;
  EXPECT_TRUE(job.is_preemptible());
}

TEST(Record, HoldsAnEventOrADecisionAsAValue) {
  const Record one{.sequence = 1, .what = Event{JobCancelled{.id = {.number = 7}, .by = "ana"}}};
  Record two = one;
  EXPECT_EQ(one, two);
  two.what = Decision{RejectJob{.job = {.number = 7}}};
  EXPECT_NE(one, two);
}

}  // namespace headroom::model
