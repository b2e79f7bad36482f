#include "schedule/scheduler.h"

#include <algorithm>

#include "base/digest.h"
#include "schedule/cells.h"
#include "schedule/mutants.h"
#include "schedule/planner.h"

namespace headroom::schedule {

// The work of one call of decide().
class Scheduler::Cycle {
 public:
  explicit Cycle(Scheduler& scheduler)
      : s_(scheduler),
        state_(scheduler.state_),
        quota_(scheduler.state_),
        cells_(scheduler.state_),
        planner_(state_, scheduler.placer_.placement(), scheduler.promises_) {}

  Decisions run() {
    ClusterState& cluster = state_.cluster_for_trial();
    const ClusterState::Mark mark = cluster.mark();
    s_.reasons_.assign(state_.job_slots(), Reason{});
    s_.head_reason_ = Reason{};
    decided_.assign(state_.job_slots(), false);
    reject_hopeless();
    stop_overdue();
    for (JobSlot slot : s_.policy_->stops(state_)) stop(slot, model::StopJob::Reason::kPreempted);
    mend_gangs();
    put_protected_first();
    for (std::size_t p = 0; p < state_.queues().pools().size(); ++p) fill_pool(PoolId{p});
    cluster.undo(mark);
    find_wakeup();
    return std::move(result_);
  }

 private:
  // Jobs of one key that would end at `from` or later were refused; room only shrinks in a cycle.
  struct Refusal {
    base::Time from;
    Reason::Kind why = Reason::Kind::kCapacity;
  };

  struct Blocked {
    JobSlot job;
    PoolOption option;
  };

  base::Time now() const { return state_.now(); }
  const Placement& placement() const { return s_.placer_.placement(); }

  // ---- what never runs, and what must not run any longer

  void reject_hopeless() {
    const auto reject = [&](const model::RejectJob& why) {
      result_.decisions.push_back(why);
      again_ = again_ || !state_.blocked().empty();  // a job may wait for any end of it
      decided_[state_.find(why.job).index()] = true;
    };
    std::vector<JobSlot> later;
    for (const JobSlot slot : s_.fresh_) {
      const JobEntry& job = state_.job(slot);
      if (!job.spec || decided_[slot.index()]) continue;  // gone, or told twice
      if (job.status == JobStatus::kRunning || job.status == JobStatus::kStopping) {
        later.push_back(slot);  // when it waits again
      } else if (const auto never = s_.never_.look(state_, placement(), *job.spec)) {
        reject(*never);
      }
    }
    s_.fresh_ = std::move(later);
    for (const JobSlot slot : state_.blocked()) {
      const JobSpec& spec = *state_.job(slot).spec;
      if (decided_[slot.index()] || !state_.waits_in_vain(spec)) continue;
      reject({spec.id, model::RejectJob::Reason::kDependencyNeverHolds, 0, 0});
    }
  }

  void stop(JobSlot slot, model::StopJob::Reason reason) {
    if (decided_[slot.index()] || state_.job(slot).status != JobStatus::kRunning) return;
    const JobEntry& job = state_.job(slot);
    result_.decisions.push_back(model::StopJob{{job.spec->id, job.attempt}, reason, {}});
    decided_[slot.index()] = true;
  }

  void stop_overdue() {
    if (mutated(Mutant::kTimeLimitIgnored)) return;
    for (const JobSlot slot : state_.running()) {
      const JobEntry& job = state_.job(slot);
      const base::Duration limit = job.spec->job->time;
      if (limit <= base::Duration{0}) continue;
      if (now() >= job.started + limit) {
        stop(slot, model::StopJob::Reason::kTimeLimit);
      } else {
        wake(job.started + limit);
      }
    }
  }

  // ---- gangs that lack members

  void mend_gangs() {
    for (const JobSlot slot : state_.lacking()) {
      const JobEntry& job = state_.job(slot);
      if (job.degraded_since == kNever || decided_[slot.index()]) continue;
      const std::int64_t needed = job.spec->gang_minimum - job.running - job.finished;
      if (!add_members(slot, needed) &&
          now() >= job.degraded_since + state_.settings().gang_grace &&
          !mutated(Mutant::kGraceForgotten)) {
        stop(slot, model::StopJob::Reason::kNodeLost);
      }
    }
  }

  // Those that run with fewer tasks than they asked for get more of what is left over.
  void grow_gangs(PoolId pool) {
    for (const JobSlot slot : state_.lacking()) {
      const JobEntry& job = state_.job(slot);
      if (job.pool == pool && job.degraded_since == kNever) add_members(slot, 1);
    }
  }

  // As many of the missing tasks as fit, at least so many.
  bool add_members(JobSlot slot, std::int64_t least) {
    const JobEntry& job = state_.job(slot);
    if (job.status != JobStatus::kRunning || decided_[slot.index()]) return false;
    const base::Time end = expected_end(job, now());
    const std::vector<TaskName> missing = missing_tasks(state_, slot);
    for (auto n = static_cast<std::int64_t>(missing.size()); n >= least; n = next_try(n, least)) {
      GangWish wish{job.spec.get(), job.pool, {missing.begin(), missing.begin() + n}, 0};
      wish.joins = slot;
      const auto placed = planner_.place(wish, end);
      if (!placed) continue;
      const std::int64_t amount = amount_of(state_, *job.spec, job.pool, *placed);
      if (quota_.refuses(*job.spec, job.pool, amount, false)) continue;
      if (breaks_cells(*job.spec, *placed).valid()) continue;
      begin(slot, job.attempt, *placed, end);
      quota_.take(*job.spec, job.pool, amount, false);
      return true;
    }
    return false;
  }

  // Halves what is asked beyond the least.
  static std::int64_t next_try(std::int64_t n, std::int64_t least) {
    return n == least ? least - 1 : least + (n - least) / 2;
  }

  // ---- one pool

  void fill_pool(PoolId pool) {
    blocked_.clear();
    refused_.clear();
    unplanned_.clear();
    plans_ = static_cast<std::int64_t>(
        std::count_if(put_first_.begin(), put_first_.end(),
                      [&](JobSlot slot) { return first_pool(slot) == pool; }));
    next_plan_ = 0;
    holder_ = JobSlot::none();
    // When nothing of the pool is free there is nothing to look for.
    free_ = free_in(pool);
    s_.policy_->begin(state_, pool);
    for (JobSlot slot = s_.policy_->next(); slot.valid() && free_ > 0; slot = s_.policy_->next()) {
      if (decided_[slot.index()]) continue;
      const JobSpec& spec = *state_.job(slot).spec;
      for (const PoolOption& option : spec.pools) {
        if (option.pool != pool) continue;
        if (!try_start(slot, option, true)) blocked_.push_back({slot, option});
        note_head(slot, option);
      }
      if (s_.policy_->strict() && !blocked_.empty()) break;
    }
    if (free_ > 0) grow_gangs(pool);
  }

  // The first job that stays behind: its reason is worked out in full.
  void note_head(JobSlot slot, const PoolOption& option) {
    Reason& reason = s_.reasons_[slot.index()];
    if (reason.kind == Reason::Kind::kNone || s_.head_reason_.kind != Reason::Kind::kNone) return;
    const JobSpec& spec = *state_.job(slot).spec;
    const bool here = reason.pool == option.pool && reason.kind == Reason::Kind::kCapacity;
    if (here && reason.has >= option.least) {
      GangWish anywhere = least_wish(spec, option);
      anywhere.with_topology = false;
      const bool topology = spec.job->topology && fits_now(anywhere);
      reason.kind = topology ? Reason::Kind::kTopology : Reason::Kind::kFragments;
    }
    s_.head_reason_ = reason;
  }

  // Thousandths of the pool that nothing holds, the cycle's own starts included.
  std::int64_t free_in(PoolId pool) const {
    std::int64_t free = state_.capacity(pool);
    for (const QueueId top : state_.queues().top()) free -= quota_.held(top, pool);
    return free;
  }

  static GangWish least_wish(const JobSpec& spec, const PoolOption& option) {
    const bool fewer = mutated(Mutant::kGangBelowMinimum) && spec.gang_minimum > 1;
    return {&spec, option.pool, first_tasks(spec, spec.gang_minimum - (fewer ? 1 : 0)),
            option.least};
  }

  // Starts the job if it may and can; else says why not.
  // `in_turn`: it is the one that the policy gave.
  bool try_start(JobSlot slot, const PoolOption& option, bool in_turn) {
    const JobSpec& spec = *state_.job(slot).spec;
    if (const auto refusal = quota_.refuses(spec, option.pool, option.least)) {
      note(slot, *refusal);
      return true;  // not blocked by others' resources: it holds no reservation
    }
    const base::Time end = now() + planned_time(spec, state_.settings());
    const std::uint64_t key = refusal_key(spec, option);
    if (const Refusal* before = refused_before(key, end)) {
      note(slot, {before->why, option.pool, option.least, free_, {}, holder_});
      return false;
    }
    const GangWish wish = least_wish(spec, option);
    std::optional<model::Placement> placed = place_now(wish);
    if (!placed) {
      refused_[key] = {now(), Reason::Kind::kCapacity};  // whatever its end
      note(slot, {Reason::Kind::kCapacity, option.pool, option.least, free_, {}, {}});
      return false;
    }
    if (in_turn) make_plans();
    if (!planner_.keeps_off(*placed)) placed = planner_.place(wish, end);
    if (!placed) {
      refused_[key] = {end, Reason::Kind::kReservation};
      note(slot, {Reason::Kind::kReservation, option.pool, option.least, free_, {}, holder_});
      return false;
    }
    if (option.amount > option.least) placed = with_more(spec, option, std::move(*placed), end);
    if (const QueueId whose = breaks_cells(spec, *placed); whose.valid()) {
      placed = planner_.place(wish, end, cells_.closed_to(spec.queue));
      if (!placed || breaks_cells(spec, *placed).valid()) {
        note(slot, {Reason::Kind::kGuarantee, option.pool, option.least, 0, whose, {}});
        return true;  // as above
      }
    }
    const std::int64_t amount = amount_of(state_, spec, option.pool, *placed);
    begin(slot, state_.job(slot).attempt + 1, *placed, end);
    quota_.take(spec, option.pool, amount);
    if (in_turn) s_.policy_->started(slot, amount);
    return true;
  }

  // Whose cells the job would take there; none(): nobody's.
  QueueId breaks_cells(const JobSpec& spec, const model::Placement& placed) const {
    if (spec.preemptible || mutated(Mutant::kCellsLent)) return QueueId::none();
    return cells_.taken_from(spec.queue, placed);
  }

  // Of the pools that a job accepts, the reason is that of the one which lacks least.
  void note(JobSlot slot, const Reason& why) {
    const auto lacks = [](const Reason& one) {
      return std::max<std::int64_t>(0, one.needs - one.has);
    };
    Reason& known = s_.reasons_[slot.index()];
    if (known.kind == Reason::Kind::kNone || lacks(why) < lacks(known)) known = why;
  }

  // The gang may run with fewer tasks than it asks for: as many as its queues and the room allow.
  model::Placement with_more(const JobSpec& spec, const PoolOption& option, model::Placement placed,
                             base::Time end) {
    const std::int64_t least = spec.gang_minimum + 1;
    for (std::int64_t n = spec.tasks; n >= least; n = next_try(n, least)) {
      auto larger = planner_.place({&spec, option.pool, first_tasks(spec, n), 0}, end);
      if (!larger) continue;
      if (!quota_.refuses(spec, option.pool, amount_of(state_, spec, option.pool, *larger))) {
        return std::move(*larger);
      }
    }
    return placed;
  }

  // What stands in the way of a job may be nodes that are kept for another queue.
  std::uint64_t refusal_key(const JobSpec& spec, const PoolOption& option) const {
    if (state_.windows().empty() || mutated(Mutant::kRefusalForAll)) return option.key;
    return base::mix64(option.key ^ (std::uint64_t{spec.queue.index()} + 1));
  }

  const Refusal* refused_before(std::uint64_t key, base::Time end) const {
    const auto found = refused_.find(key);
    return found != refused_.end() && end >= found->second.from ? &found->second : nullptr;
  }

  RoomOf room_now() const {
    return [this](model::NodeId node) { return state_.cluster().node(node); };
  }
  bool fits_now(const GangWish& wish) const {
    return gang_fits(state_, placement(), wish, room_now());
  }

  // Where the job would go if nothing was reserved for others. One task: straight from the index.
  std::optional<model::Placement> place_now(const GangWish& wish) {
    const RequestId request = wish.spec->requests.front();
    const bool other = mutated(Mutant::kUnstableChoice) && odd_call();
    if (wish.tasks.size() == 1 && !wish.spec->job->topology && !other) {
      // A placement that draws does so by seed and job, whatever was decided before.
      base::Digest drawn;
      drawn.add(state_.settings().seed);
      drawn.add(wish.spec->id.number);
      drawn.add(wish.spec->id.element);
      base::Rng rng(drawn.value());
      const auto choice = s_.placer_.choose(request, rng);
      if (!choice) return std::nullopt;
      const model::ShapeId shape = state_.cluster().shape_id(choice->node);
      if (wish.pool == state_.cpu_pool() || state_.pool_of(shape) == wish.pool) {
        return model::Placement{
            task_placement(state_, {0, 0}, request, choice->node, choice->devices)};
      }
    }
    return place_gang(state_, placement(), wish, room_now());
  }

  // The tasks start: they hold their GPUs from here on in this cycle as well.
  void begin(JobSlot slot, std::int64_t attempt, const model::Placement& placed, base::Time end) {
    const JobSpec& spec = *state_.job(slot).spec;
    for (const model::TaskPlacement& task : placed) {
      const RequestId request = spec.requests[static_cast<std::size_t>(task.group)];
      state_.cluster_for_trial().place(kTrialTask, request, task.node, devices_of(task));
    }
    planner_.started(spec, placed, end);
    if (!spec.preemptible) cells_.started(spec.queue, placed);
    free_ -= amount_of(state_, spec, pool_of(state_, placed), placed);
    decided_[slot.index()] = true;
    result_.decisions.push_back(model::StartJob{{spec.id, attempt}, placed});
    // It blocked others in the pools before this one.
    for (const PoolOption& option : spec.pools)
      again_ = again_ || option.pool < pool_of(state_, placed);
    again_ = again_ || (was_put_first(slot) && first_pool(slot) != pool_of(state_, placed));
  }

  // ---- reservations

  // Plans for the blocked jobs so far, as many as the policy wants.
  void make_plans() {
    const std::int64_t most = s_.policy_->reservations(state_.settings());
    for (; next_plan_ < blocked_.size() && plans_ < most; ++next_plan_) {
      const Blocked& one = blocked_[next_plan_];
      if (one.option.pool != first_pool(one.job)) continue;
      if (!s_.policy_->may_reserve(state_, one.job)) continue;
      if (was_put_first(one.job) && !mutated(Mutant::kProtectedTwice)) continue;
      if (reserve(one.job, one.option)) ++plans_;
    }
  }

  // Protected jobs start, or are planned for, before all others: of any pool, because a job of one
  // pool can take the cores of another's nodes.
  void put_protected_first() {
    if (!s_.policy_->protects()) return;
    std::int64_t left = s_.policy_->reservations(state_.settings());
    for (const JobSlot slot : s_.protected_) {
      if (left == 0) return;
      if (decided_[slot.index()] || state_.job(slot).status != JobStatus::kWaiting) continue;
      --left;
      const PoolOption& option = state_.job(slot).spec->pools.front();
      free_ = free_in(option.pool);
      if (!try_start(slot, option, false) && reserve(slot, option)) put_first_.push_back(slot);
    }
  }

  bool was_put_first(JobSlot slot) const {
    return std::find(put_first_.begin(), put_first_.end(), slot) != put_first_.end();
  }

  PoolId first_pool(JobSlot slot) const { return state_.job(slot).spec->pools.front().pool; }

  bool reserve(JobSlot slot, const PoolOption& option) {
    const JobEntry& job = state_.job(slot);
    const base::Duration time = planned_time(*job.spec, state_.settings());
    const auto [unplanned, first] = unplanned_.try_emplace(option.key, time);
    if (!first && time >= unplanned->second && state_.windows().empty()) return false;
    if (!s_.policy_->keeps_plans()) s_.promises_.of(state_, slot).clear();
    auto plan = planner_.plan(slot, least_wish(*job.spec, option), refusal_key(*job.spec, option),
                              s_.policy_->plans_until(now()));
    if (!plan) {
      unplanned->second = std::min(unplanned->second, time);
      return false;
    }
    if (first) unplanned_.erase(unplanned);
    holder_ = slot;
    wake(plan->start);
    if (plan->start == job.planned_start && !plan->moved) return true;
    if (plan->slipped && job.slips + 1 >= state_.settings().max_slips) s_.protect(slot);
    result_.decisions.push_back(
        model::ReserveFor{job.spec->id, plan->start, std::move(plan->placement), plan->slipped});
    return true;
  }

  // ---- when to look again

  void wake(base::Time time) {
    if (time > now()) result_.next_wakeup = std::min(result_.next_wakeup, time);
  }

  void find_wakeup() {
    if (mutated(Mutant::kWakeupForgotten)) return;
    for (JobSlot slot : state_.lacking()) {
      const base::Time since = state_.job(slot).degraded_since;
      if (since != kNever) wake(since + state_.settings().gang_grace);
    }
    for (JobSlot slot : state_.blocked()) wake(state_.job(slot).spec->job->begin);
    for (const Window& window : state_.windows()) {
      wake(window.start);
      wake(window.end);
    }
    wake(s_.policy_->wakeup(state_));
    for (const JobSlot slot : state_.blocked()) again_ = again_ || waits_for_a_start(slot);
    if (again_) result_.next_wakeup = now();
  }

  // Of a job that this cycle starts.
  bool waits_for_a_start(JobSlot slot) const {
    const auto& after = state_.job(slot).spec->job->after;
    return std::any_of(after.begin(), after.end(), [&](const model::Dependency& one) {
      if (one.kind != model::Dependency::Kind::kStarted) return false;
      const std::vector<JobSlot> slots = state_.slots_of(one.job);
      return std::any_of(slots.begin(), slots.end(), [&](JobSlot other) {
        return state_.job(other).attempt == 0 && decided_[other.index()];
      });
    });
  }

  Scheduler& s_;
  State& state_;
  Quota quota_;
  Cells cells_;
  Planner planner_;
  Decisions result_;
  std::vector<bool> decided_;       // by job slot: started, stopped or rejected in this cycle
  std::vector<Blocked> blocked_;    // of the pool at hand, in order
  std::size_t next_plan_ = 0;       // of blocked_: the next to plan for
  std::vector<JobSlot> put_first_;  // protected, and planned for already
  std::int64_t plans_ = 0;
  bool again_ = false;     // what started lets others start: another cycle at once
  std::int64_t free_ = 0;  // thousandths of the pool at hand
  JobSlot holder_;         // holds the latest reservation
  boost::unordered_flat_map<std::uint64_t, Refusal> refused_;  // in this pool, by key
  // The same: jobs that run so long, or longer, cannot be planned for; room only shrinks in a
  // cycle.
  boost::unordered_flat_map<std::uint64_t, base::Duration> unplanned_;
};

Decisions Scheduler::decide() {
  notice_changes();
  std::erase_if(protected_, [&](JobSlot slot) {
    const JobEntry& job = state_.job(slot);
    return !job.spec || job.slips < state_.settings().max_slips;
  });
  return Cycle(*this).run();
}

}  // namespace headroom::schedule
