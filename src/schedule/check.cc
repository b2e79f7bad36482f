// check: which events may happen. Every refusal says what is wrong and what is allowed.
#include <algorithm>
#include <string>

#include "schedule/check_cluster.h"
#include "schedule/mutants.h"
#include "schedule/state.h"

namespace headroom::schedule {

namespace {

using base::fail;
using base::Result;

class Check {
 public:
  explicit Check(const State& state) : s_(state) {}

  Result<void> operator()(const model::JobSubmitted& event) const {
    const std::string name = "job " + model::to_text(event.id);
    if (event.id.number < 0) return fail(name + ": a job's number is not negative");
    if (is_known(event.id.number)) {
      return fail(name + ": the number has been given before");
    }
    if (const Result<void> ok = wish(name, event.id, event.job); !ok) return ok;
    return may_wait(name, event.job);
  }

  Result<void> operator()(const model::JobChanged& event) const {
    const std::string name = "job " + model::to_text(event.id);
    const JobSlot slot = s_.find(event.id);
    if (!slot.valid()) return fail(name + ": there is no such job");
    const JobStatus status = s_.job(slot).status;
    if (status == JobStatus::kRunning || status == JobStatus::kStopping) {
      return fail(name + ": it runs; only a job that waits can be changed");
    }
    return wish(name, event.id, event.job);
  }

  Result<void> operator()(const model::JobHeld& event) const {
    const JobSlot slot = s_.find(event.id);
    if (!slot.valid()) return no_such_job(event.id);
    const JobStatus status = s_.job(slot).status;
    const bool held = status == JobStatus::kHeld;
    if (status == JobStatus::kRunning || status == JobStatus::kStopping) {
      return fail("job " + model::to_text(event.id) +
                  ": it runs; only a job that waits can be held");
    }
    if (event.held == held) {
      return fail("job " + model::to_text(event.id) +
                  (held ? ": it is held already" : ": it is not held"));
    }
    return {};
  }

  Result<void> operator()(const model::JobCancelled& event) const {
    return s_.find(event.id).valid() ? Result<void>{} : no_such_job(event.id);
  }

  Result<void> operator()(const model::AllocationLaunching& event) const { return runs(event.id); }
  Result<void> operator()(const model::AllocationStarted& event) const { return runs(event.id); }
  Result<void> operator()(const model::AllocationEnded& event) const { return runs(event.id); }
  Result<void> operator()(const model::AllocationLost& event) const { return runs(event.id); }

  Result<void> operator()(const model::TaskEnded& event) const {
    if (const Result<void> ok = runs(event.id); !ok) return ok;
    for (const AllocationId id : s_.tasks_of(s_.job(s_.find(event.id.job)))) {
      const TaskEntry& task = s_.task(id);
      if (task.group == event.group && task.index == event.task) return {};
    }
    return fail("job " + model::to_text(event.id.job) + ": no such task runs");
  }

  Result<void> operator()(const model::NodeDrained& event) const { return node(event.node); }
  Result<void> operator()(const model::NodeFailed& event) const {
    if (const Result<void> ok = node(event.node); !ok) return ok;
    if (s_.node_failed(event.node)) return fail(node_name(event.node) + ": it has failed already");
    return {};
  }
  Result<void> operator()(const model::NodeRecovered& event) const {
    if (const Result<void> ok = node(event.node); !ok) return ok;
    if (!s_.node_failed(event.node)) return fail(node_name(event.node) + ": it has not failed");
    return {};
  }

  Result<void> operator()(const model::ReservationChanged& event) const {
    const std::string name = "reservation " + event.window.name;
    if (event.removed) return {};
    if (event.window.end <= event.window.start) return fail(name + ": it ends before it starts");
    for (const model::NodeId id : event.nodes) {
      if (const Result<void> ok = node(id); !ok) return ok;
    }
    if (!event.maintenance && !s_.queues().find(event.window.queue).valid()) {
      return fail(name + ": there is no queue '" + event.window.queue + "'");
    }
    return {};
  }

  Result<void> operator()(const model::DurationsLearned&) const { return {}; }
  Result<void> operator()(const model::Cycle&) const { return {}; }

  // Nodes, queues and cut GPUs.
  template <class Other>
  Result<void> operator()(const Other& event) const {
    return check_cluster(s_, event);
  }

 private:
  static Result<void> no_such_job(model::JobId id) {
    return fail("job " + model::to_text(id) + ": there is no such job");
  }

  // A job of this number runs, waits or has ended; an array, if one of its elements does.
  bool is_known(std::int64_t number) const {
    return s_.outcome(number) != JobOutcome::kUnknown || !s_.slots_of(number).empty();
  }

  std::string node_name(model::NodeId id) const {
    return "node " + s_.cluster().cluster().nodes[id.index()].name;
  }

  Result<void> node(model::NodeId id) const { return check_node(s_, id); }

  Result<void> runs(model::AllocationId id) const {
    const JobSlot slot = s_.find(id.job);
    if (!slot.valid()) return no_such_job(id.job);
    const JobEntry& job = s_.job(slot);
    const bool holds = job.status == JobStatus::kRunning || job.status == JobStatus::kStopping;
    const bool current = job.attempt == id.attempt || mutated(Mutant::kCheckTakesOldAttempt);
    if (!holds || !current) {
      return fail("job " + model::to_text(id.job) + ": attempt " + std::to_string(id.attempt) +
                  " does not run");
    }
    return {};
  }

  // What is asked for makes sense by itself; whether it can ever run is for `decide` to say.
  Result<void> wish(const std::string& name, model::JobId id, const model::Job& job) const {
    const QueueId queue = s_.queues().find(job.queue);
    if (!queue.valid()) return fail(name + ": there is no queue '" + job.queue + "'");
    if (!s_.queues()[queue].leaf()) {
      return fail(name + ": queue '" + job.queue + "' has queues below it; jobs enter those");
    }
    if (job.groups.empty() || job.tasks() <= 0) return fail(name + ": it has no tasks");
    if (job.gang < 0 || job.gang > job.tasks()) {
      return fail(name + ": gang: " + std::to_string(job.gang) + " is not in 1.." +
                  std::to_string(job.tasks()));
    }
    if (job.elastic && (job.elastic->min < 1 || job.elastic->min > job.tasks() ||
                        job.elastic->max < job.elastic->min)) {
      return fail(name + ": elastic: min " + std::to_string(job.elastic->min) + " is not in 1.." +
                  std::to_string(std::min(job.tasks(), job.elastic->max)));
    }
    if (job.array && (job.array->first < 0 || job.array->last < job.array->first ||
                      job.array->last >= kMostElements)) {
      return fail(name + ": array: elements are 0.." + std::to_string(kMostElements - 1));
    }
    for (const model::Dependency& one : job.after) {
      if (one.job == id.number) return fail(name + ": after: it depends on itself");
      // A job may wait only for one that was there before it, so no cycle can arise.
      if (!is_known(one.job) || one.job > id.number) {
        return fail(name + ": after: job " + std::to_string(one.job) + " was not submitted before");
      }
    }
    return {};
  }

  // The user's limit of jobs that wait in the queue.
  Result<void> may_wait(const std::string& name, const model::Job& job) const {
    const QueueId queue = s_.queues().find(job.queue);
    const std::int64_t most = s_.queues()[queue].user_limits.waiting;
    const std::int64_t count = job.array ? job.array->last - job.array->first + 1 : 1;
    const std::int64_t now = s_.user_totals(queue, job.user).waiting;
    if (most < 0 || now + count <= most) return {};
    return fail(name + ": user '" + job.user + "' has " + std::to_string(now) +
                " jobs waiting in queue '" + job.queue + "', which allows " + std::to_string(most));
  }

  static constexpr std::int64_t kMostElements = 1'000'000;

  const State& s_;
};

}  // namespace

base::Result<void> check(const State& state, const model::Event& event) {
  return std::visit(Check(state), event);
}

}  // namespace headroom::schedule
