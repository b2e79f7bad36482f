#include "schedule/drf_preempt_policy.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>

#include "schedule/quota.h"
#include "schedule/stopping.h"

namespace headroom::schedule {

namespace {

__extension__ using Wide = __int128;

}  // namespace

// The stops of one cycle.
class DrfPreemptPolicy::Wave {
 public:
  Wave(const State& state, base::Duration least_run)
      : state_(state),
        tree_(state.queues()),
        quota_(state),
        victims_of_(tree_.size()),
        refused_(tree_.size()) {
    for (const JobSlot slot : state.running()) {
      if (!stoppable(state, slot, least_run)) continue;
      victims_of_[state.job(slot).spec->queue.index()].push_back(slot);
      ++stoppable_;
    }
    for (std::vector<JobSlot>& jobs : victims_of_) {
      std::stable_sort(jobs.begin(), jobs.end(), [&](JobSlot a, JobSlot b) {
        return state_.job(a).started < state_.job(b).started;
      });
    }
  }

  std::vector<JobSlot> run() {
    if (stoppable_ == 0 || state_.all_waiting().empty()) return {};
    shares_.reset(state_);
    QueueWalk walk;
    const auto less = [&](QueueId a, QueueId b) { return below(shares_, a, b); };
    walk.begin(state_, less);
    for (JobSlot job = walk.next(less); job.valid(); job = walk.next(less)) {
      for (const PoolOption& option : state_.job(job).spec->pools) {
        if (!start(job, option)) continue;
        walk.reorder(less);
        break;
      }
    }
    return std::move(stopped_);
  }

 private:
  bool below(const DominantShares& shares, QueueId a, QueueId b) const {
    return Wide{shares.of(a)} * tree_[b].weight < Wide{shares.of(b)} * tree_[a].weight;
  }

  std::int64_t gpus(PoolId pool, std::int64_t amount) const {
    return pool == state_.cpu_pool() ? 0 : amount;
  }

  // With stops or without. A job like one of its queue that could not start cannot either, as long
  // as nothing was freed.
  bool start(JobSlot job, const PoolOption& option) {
    const JobSpec& spec = *state_.job(job).spec;
    if (!refused_[spec.queue.index()].insert(option.key).second) return false;
    if (quota_.refuses(spec, option.pool, option.least)) return false;
    if (!clearing_) clearing_.emplace(state_);
    const bool known_not_to_fit = !unfit_.insert(option.key).second;
    if (known_not_to_fit || !clearing_->fits(job, option)) {
      const std::vector<JobSlot> candidates = candidates_for(spec, option);
      if (candidates.empty()) return false;
      const auto victims = clearing_->make_room(job, option, candidates);
      if (!victims) return false;
      for (const JobSlot one : *victims) stop(one);
    }
    shares_.take(spec, gpus(option.pool, option.least));
    quota_.take(spec, option.pool, option.least);
    refused_.assign(tree_.size(), {});
    unfit_.clear();
    return true;
  }

  void stop(JobSlot slot) {
    const JobEntry& job = state_.job(slot);
    std::erase(victims_of_[job.spec->queue.index()], slot);
    shares_.take(*job.spec, gpus(job.pool, job.charged), -1);
    stopped_.push_back(slot);
  }

  // Whom the job may stop, in order, each after the ones before it.
  std::vector<JobSlot> candidates_for(const JobSpec& spec, const PoolOption& option) const {
    DominantShares shares = shares_;
    shares.take(spec, gpus(option.pool, option.least));
    std::vector<std::size_t> left(tree_.size());
    for (std::size_t q = 0; q < left.size(); ++q) left[q] = victims_of_[q].size();
    std::vector<JobSlot> candidates;
    for (;;) {
      JobSlot next;
      Parting best;
      for (std::size_t q = 0; q < left.size(); ++q) {
        while (left[q] > 0 && state_.job(victims_of_[q][left[q] - 1]).pool != option.pool)
          --left[q];
        if (left[q] == 0 || QueueId{q} == spec.queue) continue;
        const Parting parting = part(spec.queue, QueueId{q});
        const JobSlot victim = victims_of_[q][left[q] - 1];
        if (!legal(shares, parting, victim)) continue;
        if (next.valid() && !below(shares, best.victim, parting.victim)) continue;
        next = victim;
        best = parting;
      }
      if (!next.valid()) return candidates;
      const JobEntry& job = state_.job(next);
      shares.take(*job.spec, gpus(job.pool, job.charged), -1);
      --left[job.spec->queue.index()];
      candidates.push_back(next);
    }
  }

  // Where the paths of two leaves part, from the top: the two siblings.
  struct Parting {
    QueueId claimant;
    QueueId victim;
  };
  Parting part(QueueId claimant, QueueId victim) const {
    for (QueueId a = claimant; a.valid(); a = tree_[a].parent) {
      for (QueueId b = victim; b.valid(); b = tree_[b].parent) {
        if (tree_[a].parent == tree_[b].parent) return {a, b};
      }
    }
    return {claimant, victim};
  }

  // The victim's side keeps at least the share that the claimant's side gets.
  bool legal(const DominantShares& shares, const Parting& at, JobSlot victim) const {
    const JobEntry& job = state_.job(victim);
    const std::int64_t keeps = shares.with(at.victim, *job.spec, gpus(job.pool, job.charged), -1);
    return Wide{keeps} * tree_[at.claimant].weight >=
           Wide{shares.of(at.claimant)} * tree_[at.victim].weight;
  }

  const State& state_;
  const QueueTree& tree_;
  Quota quota_;
  std::vector<std::vector<JobSlot>> victims_of_;  // by leaf: may be stopped, the latest last
  std::size_t stoppable_ = 0;
  DominantShares shares_;  // with starts and stops so far
  std::optional<Clearing> clearing_;
  // Kinds of jobs, since the last that got room; look-ups only.
  std::vector<boost::unordered_flat_set<std::uint64_t>> refused_;  // by queue
  boost::unordered_flat_set<std::uint64_t> unfit_;                 // without stops
  std::vector<JobSlot> stopped_;
};

std::vector<JobSlot> DrfPreemptPolicy::stops(const State& state) {
  wave_ = wave_under_way(state);
  if (!may_stop(state)) return {};
  std::vector<JobSlot> stopped = Wave(state, least_run_).run();
  wave_ = !stopped.empty();
  return stopped;
}

base::Time DrfPreemptPolicy::wakeup(const State& state) const {
  return state.all_waiting().empty() ? kNever : next_stoppable(state, least_run_);
}

}  // namespace headroom::schedule
