// Changes: how records change a state; the inside of `apply`. One short function for each kind.
#pragma once

#include "schedule/state.h"

namespace headroom::schedule {

class Changes {
 public:
  explicit Changes(State& state) : s_(state) {}

  void advance(base::Time now);

  void operator()(const model::JobSubmitted& event);
  void operator()(const model::JobCancelled& event);
  void operator()(const model::JobChanged& event);
  void operator()(const model::JobHeld& event);
  void operator()(const model::AllocationLaunching&) {}
  void operator()(const model::AllocationStarted&) {}
  void operator()(const model::AllocationEnded& event);
  void operator()(const model::TaskEnded& event);
  void operator()(const model::AllocationLost& event);
  void operator()(const model::NodeDrained& event);
  void operator()(const model::NodeFailed& event);
  void operator()(const model::NodeRecovered& event);
  void operator()(const model::ReservationChanged& event);
  void operator()(const model::DurationsLearned&) {}
  void operator()(const model::Cycle&) {}
  void operator()(const model::NodeAdded& event);
  void operator()(const model::NodeChanged& event);
  void operator()(const model::NodeRemoved& event);
  void operator()(const model::QueueChanged& event);
  // How a GPU is cut follows from what is placed on it.
  void operator()(const model::RepartitionConfirmed&) {}
  void operator()(const model::RepartitionFailed& event);

  void operator()(const model::StartJob& decision);
  void operator()(const model::StopJob& decision);
  void operator()(const model::ReserveFor& decision);
  void operator()(const model::RejectJob& decision);
  void operator()(const model::ResizeJob&) { HEADROOM_ASSERT(false); }
  void operator()(const model::RepartitionGpu&) { HEADROOM_ASSERT(false); }

 private:
  friend class Snapshot;

  JobEntry& entry(JobSlot slot) { return s_.jobs_[slot.index()]; }
  JobSlot slot_of(model::JobId id) const;
  static void erase_one(std::vector<JobSlot>& list, JobSlot slot);

  std::shared_ptr<JobSpec> make_spec(const model::JobSubmitted& event);
  std::vector<PoolOption> pool_options(const JobSpec& spec) const;
  std::uint32_t user_number(const std::string& name);
  void add_job(std::shared_ptr<const JobSpec> spec);
  void queue_up(JobSlot slot);  // waiting
  void enqueue(JobSlot slot);   // held, blocked or waiting, as its spec and the others say
  void dequeue(JobSlot slot);   // out of whatever list it is in
  bool blocked(const JobSpec& spec) const;
  void unblock();
  void want(const JobEntry& job, std::int64_t sign);

  void add_task(JobSlot slot, const model::TaskPlacement& placement);
  void remove_task(AllocationId id);
  void remove_all_tasks(JobSlot slot);
  void lose_tasks(model::NodeId node, std::uint32_t gpus);  // those on these GPUs, or all
  std::int64_t charge_of(const JobEntry& job, AllocationId id) const;
  void charge(JobEntry& job, std::int64_t amount);
  void note_members(JobSlot slot);

  void replace_cluster(model::Cluster cluster);
  void replace_queues(const std::vector<model::Queue>& queues,
                      const std::vector<std::string>& pools);
  void renumber_queues(const QueueTree& before);
  void sum_up_jobs();

  void requeue(JobSlot slot);
  void finish(JobSlot slot, JobOutcome outcome);

  State& s_;
};

}  // namespace headroom::schedule
