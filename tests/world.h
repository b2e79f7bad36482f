// World: a small cluster with its scheduler, for scenarios told in a few lines: submit, let time
// pass, see who runs where and why not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/record.h"
#include "schedule/policies.h"
#include "schedule/scheduler.h"
#include "schedule/state.h"

namespace headroom::tests {

// `nodes` nodes of one pool, 8 GPUs, 96 cores and 1 TiB each, `leaf` of them under each leaf
// switch.
model::Cluster gpu_cluster(int nodes, const std::string& pool = "h100", int leaf = 0);
// The same with other nodes behind them.
void add_nodes(model::Cluster& cluster, int nodes, const std::string& pool, int gpus);

// A job of one group: `tasks` tasks of `gpus` whole GPUs each, for so many minutes.
model::Job job_of(const std::string& queue, std::int64_t tasks, int gpus, std::int64_t minutes);

class World {
 public:
  World(model::Cluster cluster, std::vector<model::Queue> queues,
        const std::string& policy = "headroom", const schedule::PolicySettings& settings = {});

  // Returns the job's number. Fails the test when the event is refused.
  std::int64_t submit(model::Job job);
  void happen(const model::Event& event);
  void finish(std::int64_t job);  // its run ends well
  void pass(std::int64_t minutes);

  void decide(const model::Decision& decision);  // as if a cycle had decided it
  void new_scheduler();                          // which knows the state and nothing else

  // One scheduling cycle; what it decided is applied.
  schedule::Decisions cycle();

  bool runs(std::int64_t job) const;
  bool rejected(std::int64_t job) const;
  std::vector<int> nodes_of(std::int64_t job) const;  // of its running tasks, ascending, once each
  std::int64_t running_tasks(std::int64_t job) const;
  std::int64_t planned_start_minutes(std::int64_t job) const;  // -1: no reservation
  schedule::Reason why(std::int64_t job) const;
  const schedule::JobEntry& entry(std::int64_t job) const;
  std::int64_t attempt(std::int64_t job) const { return entry(job).attempt; }

  const schedule::State& state() const { return *state_; }
  base::Time now() const { return now_; }

 private:
  std::string policy_;
  schedule::PolicySettings settings_;
  std::unique_ptr<schedule::State> state_;
  std::unique_ptr<schedule::Scheduler> scheduler_;
  base::Time now_{0};
  std::int64_t next_ = 1;
  std::uint64_t records_ = 0;
};

}  // namespace headroom::tests
