#include "schedule/scheduler.h"

#include <algorithm>

namespace headroom::schedule {

namespace {

std::vector<TaskName> all_tasks(const JobSpec& spec) {
  std::vector<TaskName> tasks;
  for (std::size_t g = 0; g < spec.job->groups.size(); ++g) {
    for (std::int64_t i = 0; i < spec.job->groups[g].tasks; ++i) {
      tasks.push_back({static_cast<std::int64_t>(g), i});
    }
  }
  return tasks;
}

constexpr base::Duration kSoon{600'000};  // ten minutes: a plan is not changed for less

base::Duration planned_time(const JobSpec& spec, const Settings& settings) {
  return spec.planned > base::Duration{0} ? spec.planned : settings.horizon;
}

}  // namespace

// The work of one call of decide().
class Scheduler::Cycle {
 public:
  explicit Cycle(Scheduler& scheduler)
      : s_(scheduler), state_(scheduler.state_), quota_(scheduler.state_), profile_(state_) {}

  Decisions run() {
    ClusterState& cluster = state_.cluster_for_trial();
    const ClusterState::Mark mark = cluster.mark();
    s_.reasons_.assign(state_.job_slots(), Reason{});
    s_.head_reason_ = Reason{};
    started_.assign(state_.job_slots(), false);
    for (JobSlot slot : s_.policy_->stops(state_)) stop(slot, model::StopJob::Reason::kPreempted);
    for (JobSlot slot : s_.fresh_) reject(slot);
    s_.fresh_.clear();
    mend_gangs();
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

  void stop(JobSlot slot, model::StopJob::Reason reason) {
    const JobEntry& job = state_.job(slot);
    result_.decisions.push_back(model::StopJob{{job.spec->id, job.attempt}, reason, {}});
  }

  // ---- gangs that lost members

  void mend_gangs() {
    for (JobSlot slot : state_.degraded()) {
      const JobEntry& job = state_.job(slot);
      if (job.status != JobStatus::kRunning) continue;
      const std::vector<TaskName> missing = missing_tasks(state_, slot);
      const base::Time end = expected_end(job, now());
      const GangWish wish{job.spec.get(), job.pool, missing};
      const auto placed = place(wish, *job.spec, end);
      const std::int64_t amount = placed ? amount_of(*job.spec, job.pool, *placed) : 0;
      if (placed && !quota_.refuses(*job.spec, job.pool, amount, false)) {
        begin(slot, job.attempt, *placed, end);
        quota_.take(*job.spec, job.pool, amount, false);
      } else if (now() >= job.degraded_since + state_.settings().gang_grace) {
        stop(slot, model::StopJob::Reason::kNodeLost);
      }
    }
  }

  // Thousandths of the pool that these tasks hold.
  std::int64_t amount_of(const JobSpec& spec, PoolId pool, const model::Placement& placed) const {
    std::int64_t amount = 0;
    for (const model::TaskPlacement& task : placed) {
      const RequestId request = spec.requests[static_cast<std::size_t>(task.group)];
      const Demand& demand = state_.cluster().demand(request, task.node);
      amount += pool == state_.cpu_pool() ? demand.cpu.value() : demand.gpu_milli();
    }
    return amount;
  }

  // ---- one pool

  void fill_pool(PoolId pool) {
    blocked_.clear();
    refused_.clear();
    plans_ = 0;
    next_plan_ = 0;
    holder_ = JobSlot::none();
    const std::int64_t most = s_.policy_->reservations(state_.settings());
    for (JobSlot slot : s_.protected_) plan_protected(slot, pool);
    s_.policy_->begin(state_, pool);
    // When nothing of the pool is free there is nothing to look for.
    free_ = free_in(pool);
    for (JobSlot slot = s_.policy_->next(); slot.valid() && free_ > 0; slot = s_.policy_->next()) {
      if (started_[slot.index()]) continue;
      const JobSpec& spec = *state_.job(slot).spec;
      for (const PoolOption& option : spec.pools) {
        if (option.pool != pool) continue;
        if (!try_start(slot, option, most)) blocked_.push_back({slot, option});
        note_head(slot, option);
      }
      if (s_.policy_->strict() && !blocked_.empty()) break;
    }
  }

  // The first job that stays behind: its reason is worked out in full.
  void note_head(JobSlot slot, const PoolOption& option) {
    Reason& reason = s_.reasons_[slot.index()];
    if (reason.kind == Reason::Kind::kNone || s_.head_reason_.kind != Reason::Kind::kNone) return;
    const JobSpec& spec = *state_.job(slot).spec;
    reason.has = free_in(option.pool);
    if (reason.kind == Reason::Kind::kCapacity && reason.has >= option.amount) {
      JobSpec anywhere = spec;
      auto job = std::make_shared<model::Job>(*spec.job);
      job->topology.reset();
      anywhere.job = job;
      const bool topology = spec.job->topology && place_now(anywhere, option).has_value();
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

  // Starts the job if it may and can; else says why not.
  bool try_start(JobSlot slot, const PoolOption& option, std::int64_t most) {
    const JobSpec& spec = *state_.job(slot).spec;
    Reason& reason = s_.reasons_[slot.index()];
    if (const auto refusal = quota_.refuses(spec, option.pool, option.amount)) {
      reason = *refusal;
      return true;  // not blocked by others' resources: it holds no reservation
    }
    const base::Time end = now() + planned_time(spec, state_.settings());
    const std::uint64_t key = option.key;
    if (const Refusal* before = refused_before(key, end)) {
      reason = {before->why, option.pool, option.amount, 0, {}, holder_};
      return false;
    }
    std::optional<model::Placement> placed = place_now(spec, option);
    if (!placed) {
      refused_[key] = {now(), Reason::Kind::kCapacity};  // whatever its end
      reason = {Reason::Kind::kCapacity, option.pool, option.amount, 0, {}, {}};
      return false;
    }
    make_plans(most);
    if (!keeps_off(*placed)) placed = place({&spec, option.pool, all_tasks(spec)}, spec, end);
    if (!placed) {
      refused_[key] = {end, Reason::Kind::kReservation};
      reason = {Reason::Kind::kReservation, option.pool, option.amount, 0, {}, holder_};
      return false;
    }
    begin(slot, state_.job(slot).attempt + 1, *placed, end);
    quota_.take(spec, option.pool, option.amount);
    free_ -= option.amount;
    s_.policy_->started(slot, option.amount);
    return true;
  }

  const Refusal* refused_before(std::uint64_t key, base::Time end) const {
    const auto found = refused_.find(key);
    return found != refused_.end() && end >= found->second.from ? &found->second : nullptr;
  }

  // Where the job would go if nothing was reserved for others. One task: straight from the index.
  std::optional<model::Placement> place_now(const JobSpec& spec, const PoolOption& option) {
    if (spec.tasks == 1) {
      base::Rng unused(0);
      const auto choice = s_.placer_.choose(spec.requests.front(), unused);
      if (!choice) return std::nullopt;
      const model::ShapeId shape = state_.cluster().shape_id(choice->node);
      if (option.pool == state_.cpu_pool() || state_.pool_of(shape) == option.pool) {
        return model::Placement{
            task_placement(state_, {0, 0}, spec.requests.front(), choice->node, choice->devices)};
      }
    }
    const RoomOf room = [&](model::NodeId node) { return state_.cluster().node(node); };
    return place_gang(state_, s_.placer_.placement(), {&spec, option.pool, all_tasks(spec)}, room);
  }

  // No claim or window touches these nodes.
  bool keeps_off(const model::Placement& placed) const {
    return std::all_of(placed.begin(), placed.end(), [&](const model::TaskPlacement& task) {
      return profile_.untouched(task.node);
    });
  }

  // Where the tasks go now so that they keep off what is reserved until `end`.
  std::optional<model::Placement> place(const GangWish& wish, const JobSpec& spec, base::Time end) {
    const RoomOf room = [&](model::NodeId node) {
      return profile_.untouched(node) ? state_.cluster().node(node)
                                      : profile_.room(node, now(), end, spec.queue);
    };
    return place_gang(state_, s_.placer_.placement(), wish, room);
  }

  // The job starts: it holds its GPUs from here on in this cycle as well.
  void begin(JobSlot slot, std::int64_t attempt, const model::Placement& placed, base::Time end) {
    const JobSpec& spec = *state_.job(slot).spec;
    for (const model::TaskPlacement& task : placed) {
      const DeviceChoice devices = devices_of(task);
      const RequestId request = spec.requests[static_cast<std::size_t>(task.group)];
      state_.cluster_for_trial().place(kTrialTask, request, task.node, devices);
      profile_.started(task.node, request, devices, end);
    }
    started_[slot.index()] = true;
    result_.decisions.push_back(model::StartJob{{spec.id, attempt}, placed});
  }

  // ---- reservations

  // Plans for the blocked jobs so far, the first `most` of them.
  void make_plans(std::int64_t most) {
    for (; next_plan_ < blocked_.size() && plans_ < most; ++next_plan_) {
      const Blocked& one = blocked_[next_plan_];
      if (one.option.pool != state_.job(one.job).spec->pools.front().pool) continue;
      if (plan(one.job, one.option)) ++plans_;
    }
  }

  void plan_protected(JobSlot slot, PoolId pool) {
    if (!state_.job(slot).spec || state_.job(slot).status != JobStatus::kWaiting) return;
    const PoolOption& option = state_.job(slot).spec->pools.front();
    if (option.pool == pool && plan(slot, option)) ++plans_;
  }

  // Where and when the job can start. It keeps the nodes it was promised before unless others are
  // free much earlier: plans that jump from node to node never let one run empty.
  bool plan(JobSlot slot, const PoolOption& option) {
    const JobSpec& spec = *state_.job(slot).spec;
    const std::vector<base::Time> ends = profile_.ends();  // a copy: claims add to it
    const base::Duration time = planned_time(spec, state_.settings());
    const std::size_t first = profile_.first_end_with(ends, option);
    std::optional<model::Placement> best;
    const std::size_t at = earliest(ends, first, [&](base::Time from) {
      const RoomOf room = [&](model::NodeId node) {
        return profile_.room(node, from, from + time, spec.queue);
      };
      auto placed =
          place_gang(state_, s_.placer_.placement(), {&spec, option.pool, all_tasks(spec)}, room);
      const bool fits = placed.has_value();
      if (fits) best = std::move(placed);
      return fits;
    });
    if (at == ends.size()) return false;
    model::Placement& kept = s_.plan_of(slot);
    const std::size_t again = kept.empty() ? ends.size() : earliest(ends, at, [&](base::Time from) {
      return fits_at(spec, kept, from, from + time);
    });
    const base::Duration wait = base::between(now(), ends[at]);
    const base::Time late_enough = ends[at] + base::Duration{wait.value() / 4} + kSoon;
    const bool keep = again < ends.size() && ends[again] <= late_enough;
    // Its own nodes became free later than expected: nobody's doing. Other nodes, and later:
    // somebody was put before it.
    const bool moved_by_others = !keep && !kept.empty();
    if (!keep) kept = std::move(*best);
    reserve(slot, ends[keep ? again : at], time, kept, moved_by_others);
    return true;
  }

  // Index of the first of `ends`, from `first` on, at which `fits` holds, taking it that it goes on
  // to hold; ends.size() if there is none. Doubling steps, then halving them.
  template <class Fits>
  static std::size_t earliest(const std::vector<base::Time>& ends, std::size_t first, Fits fits) {
    std::size_t low = first;
    std::size_t high = first;
    for (std::size_t step = 1; high < ends.size() && !fits(ends[high]); step *= 2) {
      low = high + 1;
      high = high + 1 == ends.size() ? ends.size() : std::min(high + step, ends.size() - 1);
    }
    if (high >= ends.size()) return ends.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (fits(ends[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  // Are these very GPUs, and CPU and memory beside them, free during all of [from, to)?
  bool fits_at(const JobSpec& spec, const model::Placement& placed, base::Time from,
               base::Time to) const {
    std::vector<std::pair<model::NodeId, NodeState>> rooms;
    for (const model::TaskPlacement& task : placed) {
      auto room = std::find_if(rooms.begin(), rooms.end(),
                               [&](const auto& one) { return one.first == task.node; });
      if (room == rooms.end()) {
        rooms.emplace_back(task.node, profile_.room(task.node, from, to, spec.queue));
        room = rooms.end() - 1;
      }
      const RequestId request = spec.requests[static_cast<std::size_t>(task.group)];
      const Demand& demand = state_.cluster().demand(request, task.node);
      const MigTable* mig = state_.cluster().mig_table(state_.cluster().shape_id(task.node));
      if (!fits_on(room->second, demand, devices_of(task), mig)) return false;
      occupy(room->second, demand, devices_of(task), mig, state_.cluster().shape(task.node).gpus);
    }
    return true;
  }

  void reserve(JobSlot slot, base::Time start, base::Duration time, const model::Placement& placed,
               bool moved_by_others) {
    const JobEntry& job = state_.job(slot);
    for (const model::TaskPlacement& task : placed) {
      profile_.claim(task.node, job.spec->requests[static_cast<std::size_t>(task.group)],
                     devices_of(task), start, start + time);
    }
    holder_ = slot;
    wake(start);
    if (start == job.planned_start) return;
    const bool slips = moved_by_others && job.planned_start != kNever && start > job.planned_start;
    result_.decisions.push_back(model::ReserveFor{job.spec->id, start, placed, slips});
    if (slips && job.slips + 1 >= state_.settings().max_slips) s_.protect(slot);
  }

  // ---- what can never run

  void reject(JobSlot slot) {
    if (!state_.job(slot).spec) return;  // gone already
    const JobSpec& spec = *state_.job(slot).spec;
    const auto never = never_runs(spec);
    if (never) {
      result_.decisions.push_back(*never);
      started_[slot.index()] = true;  // nothing more to do with it
    }
  }

  std::optional<model::RejectJob> never_runs(const JobSpec& spec) {
    using Why = model::RejectJob::Reason;
    if (spec.pools.empty()) return model::RejectJob{spec.id, Why::kTooLargeForAnyNode, 0, 0};
    const PoolOption& first = spec.pools.front();
    bool fits_somewhere = false;
    for (const PoolOption& option : spec.pools) {
      if (!can_ever_run(spec, option)) continue;
      if (within_limits(spec, option)) return std::nullopt;
      fits_somewhere = true;
    }
    if (fits_somewhere) return model::RejectJob{spec.id, Why::kAboveQueueLimit, first.amount, 0};
    return model::RejectJob{spec.id, Why::kTooLargeForTheCluster, first.amount,
                            state_.capacity(first.pool)};
  }

  bool within_limits(const JobSpec& spec, const PoolOption& option) const {
    for (QueueId q = spec.queue; q.valid(); q = state_.queues()[q].parent) {
      if (option.amount > state_.queues()[q].limit[option.pool.index()]) return false;
    }
    const std::int64_t per_user = state_.queues()[spec.queue].user_limits.gpus;
    const bool gpus = option.pool != state_.cpu_pool();
    return !gpus || per_user < 0 || option.amount <= per_user * kDeviceMilli;
  }

  // On the empty cluster, every node healthy.
  bool can_ever_run(const JobSpec& spec, const PoolOption& option) {
    const auto [at, fresh] = s_.can_ever_.try_emplace(option.key, false);
    if (fresh) at->second = fits_empty(spec, option);
    return at->second;
  }

  bool fits_empty(const JobSpec& spec, const PoolOption& option) {
    if (!s_.empty_) s_.empty_.emplace(state_.cluster().shared_cluster());
    const RoomOf room = [&](model::NodeId node) { return s_.empty_->node(node); };
    return place_gang(state_, s_.placer_.placement(), {&spec, option.pool, all_tasks(spec)}, room)
        .has_value();
  }

  // ---- when to look again

  void wake(base::Time time) {
    if (time > now()) result_.next_wakeup = std::min(result_.next_wakeup, time);
  }

  void find_wakeup() {
    for (JobSlot slot : state_.degraded()) {
      wake(state_.job(slot).degraded_since + state_.settings().gang_grace);
    }
    for (JobSlot slot : state_.blocked()) wake(state_.job(slot).spec->job->begin);
    for (const Window& window : state_.windows()) {
      wake(window.start);
      wake(window.end);
    }
    wake(s_.policy_->wakeup(state_));
  }

  Scheduler& s_;
  State& state_;
  Quota quota_;
  Profile profile_;
  Decisions result_;
  std::vector<bool> started_;     // by job slot: started or rejected in this cycle
  std::vector<Blocked> blocked_;  // of the pool at hand, in order
  std::size_t next_plan_ = 0;     // of blocked_: the next to plan for
  std::int64_t plans_ = 0;
  std::int64_t free_ = 0;                                      // thousandths of the pool at hand
  JobSlot holder_;                                             // holds the latest reservation
  boost::unordered_flat_map<std::uint64_t, Refusal> refused_;  // in this pool, by key
};

Scheduler::Scheduler(State& state, std::unique_ptr<Policy> policy,
                     std::unique_ptr<Placement> placement)
    : state_(state), policy_(std::move(policy)), placer_(state.cluster(), std::move(placement)) {}

void Scheduler::arrived(JobSlot job) {
  fresh_.push_back(job);
  const JobSpec& spec = *state_.job(job).spec;
  for (std::size_t g = 0; g < spec.requests.size(); ++g) placer_.arrived(spec.requests[g]);
}

Decisions Scheduler::decide() {
  std::erase_if(protected_, [&](JobSlot slot) {
    const JobEntry& job = state_.job(slot);
    return !job.spec || job.slips < state_.settings().max_slips;
  });
  return Cycle(*this).run();
}

model::Placement& Scheduler::plan_of(JobSlot slot) {
  if (plans_.size() <= slot.index()) plans_.resize(slot.index() + 1);
  Plan& plan = plans_[slot.index()];
  const model::JobId job = state_.job(slot).spec->id;
  if (plan.job != job) plan = {job, {}};
  return plan.placement;
}

// At most as many as hold reservations anyway, the first come.
void Scheduler::protect(JobSlot slot) {
  const auto most = static_cast<std::size_t>(state_.settings().reservations);
  const bool known = std::find(protected_.begin(), protected_.end(), slot) != protected_.end();
  if (!known && protected_.size() < most) protected_.push_back(slot);
}

Reason Scheduler::reason(JobSlot job) const {
  if (job.index() >= reasons_.size()) return Reason{};
  // Not looked at: nothing of its pool was free any more.
  const Reason& found = reasons_[job.index()];
  return found.kind != Reason::Kind::kNone ? found : Reason{.kind = Reason::Kind::kCapacity};
}

}  // namespace headroom::schedule
