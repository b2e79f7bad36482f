#include "model/job.h"

namespace headroom::model {

std::int64_t Job::tasks() const {
  std::int64_t sum = 0;
  for (const TaskGroup& group : groups) sum += group.tasks;
  return sum;
}

}  // namespace headroom::model
