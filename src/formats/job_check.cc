#include "formats/job_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/message.h"
#include "formats/request_codec.h"

namespace headroom::formats {

using model::Job;
using model::TaskGroup;

namespace {

const Value& part(const Value& value, const char* key) {
  const Value* const found = value.find(key);
  return found == nullptr ? value : *found;
}

void check_groups(const Job& job, const Value& value, Context& context) {
  const Value* const groups = value.find("groups");
  if (groups == nullptr) return check_request(job.groups.front().request, value, context);
  for (const char* key :
       {"tasks", "gpus", "cpus", "memory", "gpu_model", "gpu_memory", "labels", "exclusive"}) {
    if (value.find(key) == nullptr) continue;
    context.problem_in(part(value, key), fmt::format(".{}", key),
                       "given beside groups (put it into each group)");
  }
  if (!groups->is_list()) return;
  if (groups->items.empty()) context.problem_in(*groups, ".groups", "the list is empty");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < job.groups.size() && i < groups->items.size(); ++i) {
    const TaskGroup& group = job.groups[i];
    if (group.name.empty() || seen.insert(group.name).second) continue;
    context.problem_in(groups->items[i], fmt::format(".groups[{}].name", i),
                       fmt::format("the name {} is there twice", shown(group.name)));
  }
}

void check_counts(const Job& job, const Value& value, Context& context) {
  const std::int64_t tasks = job.tasks();
  const std::int64_t most = job.elastic ? std::max(tasks, job.elastic->max) : tasks;
  if (job.gang > most) {
    context.problem_in(part(value, "gang"), ".gang",
                       fmt::format("{} is not in 1..{} (the number of tasks)", job.gang, most));
  }
  if (job.elastic && job.elastic->min > job.elastic->max) {
    context.problem_in(part(value, "elastic"), ".elastic",
                       fmt::format("min {} is above max {}", job.elastic->min, job.elastic->max));
  }
  if (!job.topology || job.topology->segment == 0) return;
  if (tasks % job.topology->segment == 0) return;
  context.problem_in(
      part(value, "topology"), ".topology.segment",
      fmt::format("{} tasks cannot be cut into segments of {}", tasks, job.topology->segment));
}

}  // namespace

void check_job(const Job& job, const Value& value, Context& context) {
  check_groups(job, value, context);
  check_counts(job, value, context);
  if (job.deadline.value() > 0 && job.deadline <= job.begin) {
    context.problem_in(part(value, "deadline"), ".deadline", "it is not after begin");
  }
  if (job.checkpoint && job.checkpoint->every.value() <= 0) {
    context.problem_in(part(value, "checkpoint"), ".checkpoint.every", "it is not above 0");
  }
}

}  // namespace headroom::formats
