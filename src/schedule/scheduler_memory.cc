// What the scheduler keeps from cycle to cycle, and when it must forget it.
#include <algorithm>

#include "schedule/mutants.h"
#include "schedule/scheduler.h"

namespace headroom::schedule {

Scheduler::Scheduler(State& state, std::unique_ptr<Policy> policy,
                     std::unique_ptr<Placement> placement)
    : state_(state),
      cluster_(state.cluster().shared_cluster()),
      queues_(state.shared_queues()),
      policy_(std::move(policy)),
      placer_(state.cluster(), std::move(placement)) {
  protect_again();
  look_at_all();
}

// Which of them came first is not written anywhere: those that wait, in their order, then the rest.
void Scheduler::protect_again() {
  std::vector<JobSlot> rest;
  for (std::size_t i = 0; i < state_.job_slots(); ++i) {
    if (state_.job(JobSlot{i}).spec) rest.emplace_back(i);
  }
  std::sort(rest.begin(), rest.end(),
            [&](JobSlot a, JobSlot b) { return state_.job(a).spec->id < state_.job(b).spec->id; });
  std::vector<JobSlot> all = state_.all_waiting();
  all.insert(all.end(), rest.begin(), rest.end());
  for (const JobSlot slot : all) {
    if (state_.job(slot).slips >= state_.settings().max_slips) protect(slot);
  }
}

// What could run when it was submitted may not be able to on the nodes and in the queues of now.
void Scheduler::look_at_all() {
  if (mutated(Mutant::kNeverLooksOnce)) return;
  fresh_.clear();  // they are among all
  for (std::size_t i = 0; i < state_.job_slots(); ++i) {
    if (state_.job(JobSlot{i}).spec) fresh_.emplace_back(i);
  }
}

// Nodes or queues came, went or changed: what was worked out for those before no longer holds.
void Scheduler::notice_changes() {
  const bool nodes = cluster_ != state_.cluster().shared_cluster();
  const bool queues = queues_ != state_.shared_queues();
  if (!nodes && !queues) return;
  if (nodes) {
    placer_.cluster_changed();
    promises_ = Promises{};
  }
  never_.forget();
  look_at_all();
  policy_->changed(*queues_, state_.queues());
  cluster_ = state_.cluster().shared_cluster();
  queues_ = state_.shared_queues();
}

void Scheduler::arrived(std::int64_t number) {
  notice_changes();
  for (const JobSlot slot : state_.slots_of(number)) {
    fresh_.push_back(slot);
    promises_.of(state_, slot).clear();  // it may want something else now
    const JobSpec& spec = *state_.job(slot).spec;
    for (const RequestId request : spec.requests) placer_.arrived(request);
  }
}

// For good; those that came first are put first.
void Scheduler::protect(JobSlot slot) {
  const bool known = std::find(protected_.begin(), protected_.end(), slot) != protected_.end();
  if (!known) protected_.push_back(slot);
}

Reason Scheduler::reason(JobSlot job) const {
  if (job.index() >= reasons_.size()) return Reason{};
  // Not looked at: nothing of its pool was free any more.
  const Reason& found = reasons_[job.index()];
  return found.kind != Reason::Kind::kNone ? found : Reason{.kind = Reason::Kind::kCapacity};
}

}  // namespace headroom::schedule
