// State: everything the scheduler knows: the cluster, the queues, the jobs that are not finished,
// what was used in the past, and the time. It changes by records only:
//
//   check(state, event)    may this event happen? A refused event changes nothing.
//   apply(state, record)   an event or a decision; cheap, never decides.
//   Scheduler::decide      one scheduling cycle; leaves the state as it was.
//
// Finished jobs leave the state, but for one byte that says how they ended (dependencies ask), so
// the cost of an event does not grow with them. Sums by queue, pool and user are kept beside the
// jobs they follow from, and are not part of the digest.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "model/event.h"
#include "model/record.h"
#include "schedule/cluster_state.h"
#include "schedule/job_entry.h"
#include "schedule/queue_tree.h"
#include "schedule/usage.h"

namespace headroom::schedule {

// How a finished job ended.
enum class JobOutcome : std::uint8_t {
  kUnknown,  // not finished, or never existed
  kCompleted,
  kFailed,
  kCancelled,
  kTimedOut,
  kRejected
};

// A node is kept for something, or out of service, for a time.
struct Window {
  std::string name;
  std::vector<model::NodeId> nodes;
  base::Time start;
  base::Time end;
  QueueId queue;  // none(): nobody may use it (maintenance)

  // Keeps jobs of `other` off its nodes at some time in [from, to).
  bool shuts_out(QueueId other, base::Time from, base::Time to) const {
    const bool own = queue.valid() && queue == other;
    return !own && start < to && end > from;
  }
};

struct Settings {
  base::Duration epoch{5 * 60'000};           // fair shares are frozen that long
  base::Duration half_life{7 * 86'400'000};   // of past use
  std::int64_t past_weight_permille = 1000;   // k of the fair share
  std::int64_t reservations = 1;              // blocked jobs of each pool that hold one
  std::int32_t max_slips = 3;                 // then nothing may delay the job again
  base::Duration gang_grace{5 * 60'000};      // to replace a lost member
  base::Duration horizon{30 * 86'400'000LL};  // expected end of a job that nothing is known of
  std::uint64_t seed = 0;                     // of placements that draw
};

class State {
 public:
  // `pools` of the tree: pool_names(cluster).
  State(std::shared_ptr<const model::Cluster> cluster,
        const std::shared_ptr<const QueueTree>& queues, Settings settings = {});

  base::Time now() const { return now_; }
  const Settings& settings() const { return settings_; }
  const ClusterState& cluster() const { return cluster_; }
  ClusterState& cluster_for_trial() { return cluster_; }  // whoever changes it undoes it
  const QueueTree& queues() const { return *queues_; }
  const std::shared_ptr<const QueueTree>& shared_queues() const { return queues_; }

  // Jobs that are not finished.
  JobSlot find(model::JobId id) const;  // none() when there is no such job
  const JobEntry& job(JobSlot slot) const { return jobs_[slot.index()]; }
  std::size_t job_slots() const { return jobs_.size(); }
  std::size_t job_count() const { return live_jobs_; }
  const TaskEntry& task(AllocationId id) const { return tasks_[id.index()]; }
  // The allocations of a job's tasks, the latest first: for (AllocationId id : tasks_of(job)).
  JobTasks tasks_of(const JobEntry& job) const { return {tasks_, job.first_task}; }
  // The slots of a job, or of all elements of an array that are not finished.
  std::vector<JobSlot> slots_of(std::int64_t job_number) const;
  // Of an array, when its last element has ended: completed if all of them did.
  JobOutcome outcome(std::int64_t job_number) const;
  std::int64_t highest_job() const;                 // number that was ever given; 0: none. O(jobs)
  bool has_started(std::int64_t job_number) const;  // once, it or one of its elements
  // A dependency of the job can never hold any more.
  bool waits_in_vain(const JobSpec& spec) const;

  // Waiting jobs of a leaf queue: by priority, then age, then id.
  const std::vector<JobSlot>& waiting(QueueId queue) const { return waiting_[queue.index()]; }
  const std::vector<JobSlot>& all_waiting() const {
    return all_waiting_;
  }  // the same of all queues
  const std::vector<JobSlot>& running() const { return running_; }  // hold resources
  const std::vector<JobSlot>& lacking() const {
    return lacking_;
  }  // run with fewer tasks than asked

  // Thousandths of a pool's unit that a queue's subtree holds, of those by jobs that cannot be
  // preempted, and that its waiting jobs want (in their first choice).
  std::int64_t held(QueueId queue, PoolId pool) const { return held_[at(queue, pool)]; }
  std::int64_t held_firmly(QueueId queue, PoolId pool) const { return firm_[at(queue, pool)]; }
  std::int64_t wanted(QueueId queue, PoolId pool) const { return wanted_[at(queue, pool)]; }
  std::int64_t capacity(PoolId pool) const { return capacity_[pool.index()]; }  // healthy nodes
  std::int64_t full_capacity(PoolId pool) const;  // with every node healthy; O(nodes)
  PoolId pool_of(model::ShapeId shape) const { return pool_of_shape_[shape.index()]; }
  // The pool of jobs without GPUs, counted in cores.
  PoolId cpu_pool() const { return PoolId{queues_->pools().size() - 1}; }
  // Use of the past, older use counting less: thousandths x milliseconds.
  std::int64_t used(QueueId queue, PoolId pool) const {
    const std::size_t i = at(queue, pool);
    return usage_[i].at(now_, held_[i], settings_.half_life);
  }
  base::Time began() const { return began_; }  // time of the first record

  struct UserTotals {
    std::int64_t gpu_milli = 0;
    std::int64_t running = 0;
    std::int64_t waiting = 0;  // and those that are held or blocked
  };
  UserTotals user_totals(QueueId queue, std::uint32_t user) const;
  UserTotals user_totals(QueueId queue, const std::string& user) const;
  std::int64_t array_running(std::int64_t job_number) const;  // elements

  const std::vector<JobSlot>& blocked() const { return blocked_; }  // by dependency or begin time
  const std::string& user_name(std::uint32_t user) const { return users_[user]; }

  const std::vector<Window>& windows() const { return windows_; }
  bool node_failed(model::NodeId node) const { return failed_[node.index()]; }
  // Its slot stays, so that ids mean the same for ever: without name and hardware, never used.
  bool node_removed(model::NodeId node) const {
    return cluster_.cluster().nodes[node.index()].name.empty();
  }

  std::uint64_t digest() const;

 private:
  friend class Changes;   // the only one that changes a state
  friend class Snapshot;  // writes and makes whole states

  static std::uint64_t key_of_job(model::JobId id);
  void count_capacity(model::NodeId node, std::int64_t sign);
  void learn_shapes();  // the cluster's that are not known yet
  UserTotals& totals_of(const JobSpec& spec);
  std::size_t at(QueueId queue, PoolId pool) const {
    return queue.index() * queues_->pools().size() + pool.index();
  }

  ClusterState cluster_;
  std::shared_ptr<const QueueTree> queues_;
  Settings settings_;
  base::Time now_;
  base::Time began_ = kNever;

  std::vector<JobEntry> jobs_;
  std::vector<JobSlot> free_slots_;
  boost::unordered_flat_map<std::uint64_t, JobSlot> slot_of_;  // look-ups only
  std::vector<TaskEntry> tasks_;                               // by allocation
  std::vector<JobOutcome> outcomes_;                           // by job number
  std::size_t live_jobs_ = 0;
  std::vector<std::vector<JobSlot>> waiting_;  // by queue
  std::vector<JobSlot> all_waiting_;
  std::vector<JobSlot> running_;
  std::vector<JobSlot> lacking_;
  std::vector<JobSlot> blocked_;  // by dependency or begin time

  // What is known of an array while one of its elements is not finished.
  struct ArrayTotals {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t live = 0;
    std::int64_t running = 0;
    bool started = false;
    JobOutcome outcome = JobOutcome::kCompleted;  // unless an element ended otherwise
  };
  boost::unordered_flat_map<std::int64_t, ArrayTotals> arrays_;  // by number; look-ups only
  base::Time next_begin_ = kNever;                               // of the blocked jobs

  std::vector<std::string> users_;
  boost::unordered_flat_map<std::uint64_t, UserTotals> user_totals_;  // look-ups only
  std::vector<std::int64_t> held_, firm_, wanted_;                    // by queue and pool
  std::vector<std::int64_t> capacity_;                                // by pool
  std::vector<PoolId> pool_of_shape_;
  std::vector<bool> failed_, drained_;  // by node
  std::vector<Window> windows_;
  std::vector<Usage> usage_;  // by queue and pool
};

// May this event happen now? The error says why not. Never changes anything.
base::Result<void> check(const State& state, const model::Event& event);

// Applies an event that `check` allows, or a decision made on this state. O(tasks of the job); a
// node event O(tasks on the node); another cluster or tree of queues O(nodes + jobs).
void apply(State& state, const model::Record& record);

// The run time to plan with.
base::Duration planned_time(const JobSpec& spec, const Settings& settings);

// The order of waiting jobs: by priority, then age, then id.
bool before(const State& state, JobSlot a, JobSlot b);

// The pools of a cluster: those with GPUs by first node, then "cpu" for jobs without GPUs.
std::vector<std::string> pool_names(const model::Cluster& cluster);

}  // namespace headroom::schedule
