// Projection::Writer: how each kind of record changes the tables. In three files: jobs, attempts
// and what they hold, nodes.
#pragma once

#include <string>
#include <vector>

#include "base/archive.h"
#include "model/archive.h"
#include "store/job_row.h"
#include "store/projection.h"
#include "store/projection_statements.h"
#include "store/usage.h"

namespace headroom::store {

using What = TimelineEntry::What;
using StopReason = model::StopJob::Reason;

struct NodeNow {
  std::string name;
  std::string gpu_model;
  std::int64_t gpus = 0;  // thousandths
  std::int64_t cpus = 0;
};

template <class T>
std::string bytes_of(const T& value) {
  base::Writer out;
  out.put(value);
  return out.bytes();
}

class Projection::Writer {
 public:
  explicit Writer(Database& db);
  void load_nodes();
  void set_cluster(const model::Cluster& cluster, base::Time time);
  void apply(const model::Record& record);

  // These change no table.
  void operator()(const model::AllocationLaunching&) {}
  void operator()(const model::NodeDrained&) {}
  void operator()(const model::QueueChanged&) {}
  void operator()(const model::ReservationChanged&) {}
  void operator()(const model::RepartitionConfirmed&) {}
  void operator()(const model::DurationsLearned&) {}
  void operator()(const model::Cycle&) {}
  void operator()(const model::RepartitionGpu&) {}
  void operator()(const model::ResizeJob&) { db_.fail("a job was resized, which nothing does"); }

  void operator()(const model::JobSubmitted& event);
  void operator()(const model::JobCancelled& event);
  void operator()(const model::JobChanged& event);
  void operator()(const model::JobHeld& event);
  void operator()(const model::AllocationStarted& event);
  void operator()(const model::AllocationEnded& event);
  void operator()(const model::TaskEnded& event);
  void operator()(const model::AllocationLost& event);
  void operator()(const model::NodeAdded& event);
  void operator()(const model::NodeChanged& event);
  void operator()(const model::NodeRemoved& event);
  void operator()(const model::NodeFailed& event);
  void operator()(const model::NodeRecovered& event);
  void operator()(const model::RepartitionFailed& event);
  void operator()(const model::StartJob& decision);
  void operator()(const model::StopJob& decision);
  void operator()(const model::ReserveFor& decision);
  void operator()(const model::RejectJob& decision);

 private:
  struct JobNow {
    JobState state = JobState::kWaiting;
    std::int64_t attempt = 0;
    std::int64_t retries = 0;
    std::int64_t failures = 0;
    bool cancelled = false;
    std::int64_t spec = 0;
    std::int64_t planned = 0;
  };
  JobNow job_now(model::JobId id);
  model::Job spec(std::int64_t id);
  void keep_spec(const model::Job& job);
  void set_state(model::JobId id, JobState state) {
    to_.set_state.run(state, sequence_, id.number, id.element);
  }
  void finish(model::JobId id, JobState state);
  void end_attempt(const model::AllocationEnded& event, AttemptOutcome outcome);
  void told_to_stop(model::AllocationId id, StopReason reason, model::JobId for_whom);
  void note(model::JobId id, What what, std::int64_t attempt, const std::string& detail);

  void hold(const model::AllocationId& id, const model::Job& job,
            const model::Placement& placement);
  void measure(const model::AllocationId& id);  // a new row of uses: what is held has changed
  void lose_tasks(model::NodeId node, std::uint32_t mask);
  std::string nodes_of(const model::Placement& placement) const;
  void refresh_job(const model::AllocationId& id, const model::Placement& placement);

  NodeNow& node(model::NodeId id);
  void close_node(model::NodeId id);
  void open_node(model::NodeId id, bool failed);
  NodeNow describe(const std::string& name, const model::NodeShape& shape);

  Database& db_;
  std::vector<NodeNow> nodes_;
  NodeNow no_node_;  // in place of one that is not known
  std::vector<std::string> gpu_models_;
  std::uint64_t sequence_ = 0;  // of the record at work
  base::Time now_;

  ProjectionStatements to_;
};

}  // namespace headroom::store
