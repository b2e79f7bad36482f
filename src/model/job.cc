#include "model/job.h"

namespace headroom::model {

std::string_view to_text(JobKind kind) {
  switch (kind) {
    case JobKind::kTraining:
      return "training";
    case JobKind::kFineTuning:
      return "fine-tuning";
    case JobKind::kBatch:
      return "batch";
    case JobKind::kService:
      return "service";
    case JobKind::kWorkspace:
      return "workspace";
  }
  return "batch";
}

std::int64_t Job::tasks() const {
  std::int64_t sum = 0;
  for (const TaskGroup& group : groups) sum += group.tasks;
  return sum;
}

}  // namespace headroom::model
