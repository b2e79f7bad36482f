#include "simulate/replay.h"

#include <algorithm>

#include "base/digest.h"
#include "schedule/placements.h"
#include "schedule/policies.h"
#include "schedule/scheduler.h"
#include "simulate/durations.h"
#include "simulate/happening.h"
#include "simulate/meter.h"
#include "simulate/slurm_factors.h"
#include "simulate/submissions.h"
#include "simulate/work.h"

namespace headroom::simulate {

namespace {

using schedule::JobSlot;
using schedule::State;

constexpr std::int64_t kPlanPermille = 750;  // planning uses P75

schedule::Settings settings_of(const ReplayInput& input) {
  schedule::Settings settings = input.settings;
  settings.seed = input.seed;
  return settings;
}

class Replay {
 public:
  Replay(const ReplayInput& input, std::unique_ptr<schedule::Policy> policy,
         std::unique_ptr<schedule::Placement> placement)
      : input_(input),
        history_(*input.jobs),
        tree_(std::make_shared<const schedule::QueueTree>(input.queues,
                                                          schedule::pool_names(*input.cluster))),
        state_(input.cluster, tree_, settings_of(input)),
        scheduler_(state_, std::move(policy), std::move(placement)),
        submissions_(*input.jobs),
        work_(input, result_),
        meter_(input, state_),
        faults_(*input.cluster, input.faults, input.seed) {}

  base::Result<ReplayResult> run() {
    if (history_.jobs.empty()) return base::fail("the history has no jobs to replay");
    prepare_jobs();
    prepare_faults();
    if (auto ok = prepare_windows(); !ok) return tl::unexpected(ok.error());
    while (!happenings_.empty() && open_ > 0) {
      const base::Time now = happenings_.top().time;
      if (now >= result_.first) meter_.advance(now);
      bool something = false;
      while (!happenings_.empty() && happenings_.top().time == now) {
        const Happening next = happenings_.top();
        happenings_.pop();
        if (stale(next)) continue;
        if (auto ok = happen(next); !ok) return tl::unexpected(ok.error());
        something = true;
      }
      if (something) cycle(now);
    }
    result_.samples = meter_.take_samples();
    result_.timeline = meter_.take_timeline();
    result_.digest = digest_.value();
    return std::move(result_);
  }

 private:
  void prepare_jobs() {
    result_.jobs.resize(history_.jobs.size());
    result_.first = history_.jobs.front().submit;
    for (std::uint32_t i = 0; i < history_.jobs.size(); ++i) {
      const base::Time submit = history_.jobs[i].submit;
      result_.jobs[i].job = i;
      result_.jobs[i].submitted = submit;
      push(submit, Happening::Kind::kSubmit, i);
      result_.first = std::min(result_.first, submit);
    }
    to_submit_ = open_ = history_.jobs.size();
    result_.last = result_.first;
    meter_.start(result_.first);
  }

  void prepare_faults() {
    for (const Outage& one : input_.outages) {
      if (one.to <= one.from) continue;
      push(one.from, Happening::Kind::kFail, one.node.index());
      push(one.to, Happening::Kind::kRecover, one.node.index());
    }
    if (!faults_.modelled()) return;
    for (std::uint32_t i = 0; i < input_.cluster->nodes.size(); ++i) {
      draw_failure(i, result_.first);
    }
  }

  base::Result<void> prepare_windows() {
    for (const model::ReservationChanged& window : input_.windows) {
      if (window.window.end <= result_.first) continue;
      const base::Time now = std::min(result_.first, happenings_.top().time);
      if (auto ok = record(window, now); !ok) return ok;
    }
    return {};
  }

  void push(base::Time time, Happening::Kind kind, std::uint32_t subject, std::uint32_t version = 0,
            bool drawn = false) {
    happenings_.push({time, kind, sequence_++, subject, version, drawn});
  }

  base::Result<void> record(const model::Event& event, base::Time now) {
    if (auto ok = check(state_, event); !ok) return ok;
    apply(state_, {.sequence = ++records_, .time = now, .what = event});
    return {};
  }

  // The end of an earlier stretch, or a wake-up that a later cycle has moved.
  bool stale(const Happening& what) const {
    if (what.kind == Happening::Kind::kEnd) return work_.version(what.subject) != what.version;
    return what.kind == Happening::Kind::kWake && what.version != wake_version_;
  }

  base::Result<void> happen(const Happening& what) {
    switch (what.kind) {
      case Happening::Kind::kSubmit:
        return submit(what.subject, what.time);
      case Happening::Kind::kEnd:
        return end(what.subject, what.time);
      case Happening::Kind::kFail:
        return fail(what);
      case Happening::Kind::kRecover:
        return recover(what);
      case Happening::Kind::kWake:
        return record(model::Cycle{}, what.time);
    }
    return {};
  }

  // ---- jobs

  base::Result<void> submit(std::uint32_t job, base::Time now) {
    const model::HistoricJob& historic = history_.jobs[job];
    --to_submit_;
    model::JobSubmitted event = submissions_.submitted(job);
    event.planned =
        input_.plan_by_limit ? historic.job.time : durations_.quantile(historic.job, kPlanPermille);
    if (auto ok = record(event, now); !ok) {
      return base::fail("job " + historic.id + ": " + ok.error().message);
    }
    scheduler_.arrived(id_of(job).number);
    return {};
  }

  base::Result<void> end(std::uint32_t job, base::Time now) {
    work_.finish(job, now);
    durations_.ended(history_.jobs[job].job, history_.jobs[job].run);
    const JobSlot slot = state_.find(id_of(job));
    return leave(slot, submissions_.outcome(job), now);
  }

  // The attempt is over, and what it held is free; where the job is over as well, that is noted.
  base::Result<void> leave(JobSlot slot, model::AllocationEnded::Outcome outcome, base::Time now) {
    const model::AllocationId id{state_.job(slot).spec->id, state_.job(slot).attempt};
    const std::vector<model::NodeId> nodes = nodes_of(slot);
    if (auto ok = record(model::AllocationEnded{id, outcome, 0}, now); !ok) return ok;
    for (const model::NodeId node : nodes) meter_.touched(node);
    if (outcome == model::AllocationEnded::Outcome::kStopped) return {};
    JobRun& run = result_.jobs[job_of(id.job)];
    run.end = now;
    run.outcome = state_.outcome(id.job.number);
    --open_;
    result_.last = std::max(result_.last, now);
    const std::int64_t useful = result_.gpu.useful;
    result_.gpu = meter_.so_far();
    result_.gpu.useful = useful;
    return {};
  }

  // The nodes of a job's tasks, each once.
  std::vector<model::NodeId> nodes_of(JobSlot slot) const {
    std::vector<model::NodeId> nodes;
    for (const schedule::AllocationId id : state_.tasks_of(state_.job(slot))) {
      nodes.push_back(state_.cluster().allocation(id).node);
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  // All that it needs runs, or more of it than before.
  void go(std::uint32_t job, base::Time now) {
    const JobSlot slot = state_.find(id_of(job));
    const schedule::JobEntry& entry = state_.job(slot);
    JobRun& run = result_.jobs[job];
    if (entry.pool != state_.cpu_pool()) run.gpu_milli = entry.charged;
    run.nodes = static_cast<std::int32_t>(nodes_of(slot).size());
    const base::Time ends = work_.running(job) ? work_.join(job, now, run.gpu_milli, run.nodes)
                                               : work_.begin(job, now, run.gpu_milli, run.nodes);
    push(ends, Happening::Kind::kEnd, job, work_.version(job));
  }

  // ---- nodes

  void draw_failure(std::uint32_t node, base::Time from) {
    push(from + faults_.until_failure(node), Happening::Kind::kFail, node, 0, true);
  }

  base::Result<void> fail(const Happening& what) {
    if (what.drawn) {
      // Where nothing runs and nothing will come, nothing fails any more: the replay has an end.
      if (to_submit_ == 0 && state_.running().empty()) return {};
      const base::Time repaired = what.time + faults_.until_repaired(what.subject);
      push(repaired, Happening::Kind::kRecover, what.subject, 0, true);
    }
    if (!faults_.begins(what.subject)) return {};
    return fail_node(model::NodeId{what.subject}, what.time);
  }

  base::Result<void> recover(const Happening& what) {
    if (what.drawn) draw_failure(what.subject, what.time);
    if (!faults_.ends(what.subject)) return {};
    const model::NodeId node{what.subject};
    const auto ok = record(model::NodeRecovered{node}, what.time);
    meter_.touched(node);
    return ok;
  }

  // Every job with a task on the node goes back to its last checkpoint; it goes on when it has all
  // its members again.
  base::Result<void> fail_node(model::NodeId node, base::Time now) {
    std::vector<std::uint32_t> hit;
    const schedule::ClusterState& cluster = state_.cluster();
    for (auto id = cluster.first_allocation(node); id.valid(); id = cluster.next_allocation(id)) {
      hit.push_back(job_of(state_.job(state_.task(id).job).spec->id));
    }
    if (auto ok = record(model::NodeFailed{node}, now); !ok) return ok;
    ++result_.node_failures;
    meter_.touched(node);
    std::sort(hit.begin(), hit.end());
    hit.erase(std::unique(hit.begin(), hit.end()), hit.end());
    for (const std::uint32_t job : hit) {
      if (work_.running(job)) work_.interrupt(job, now, StretchEnd::kNodeLost);
      const schedule::JobEntry& entry = state_.job(state_.find(id_of(job)));
      if (entry.running + entry.finished >= entry.spec->gang_minimum) go(job, now);
    }
    return {};
  }

  // ---- decisions

  void cycle(base::Time now) {
    ++result_.cycles;
    const schedule::Decisions decided = scheduler_.decide();
    for (const model::Decision& decision : decided.decisions) {
      apply(state_, {.sequence = ++records_, .time = now, .what = decision});
      std::visit([&](const auto& one) { carry_out(one, now); }, decision);
    }
    const base::Time next = stopped_ ? now : decided.next_wakeup;
    stopped_ = false;
    if (next < schedule::kNever) push(next, Happening::Kind::kWake, 0, ++wake_version_);
    if (now >= result_.first) meter_.cycled(scheduler_);
  }

  void carry_out(const model::StartJob& start, base::Time now) {
    const std::uint32_t job = job_of(start.id.job);
    JobRun& run = result_.jobs[job];
    if (run.first_start == schedule::kNever) run.first_start = now;
    run.starts = static_cast<std::int32_t>(start.id.attempt);
    digest_.add(now.value());
    digest_.add(start.id.job.number);
    for (const model::TaskPlacement& task : start.placement) {
      digest_.add(std::uint64_t{task.node.index()});
      for (const model::DeviceUse& use : task.devices) digest_.add(std::int64_t{use.gpu});
      meter_.touched(task.node);
    }
    go(job, now);
  }

  void carry_out(const model::StopJob& stop, base::Time now) {
    using Reason = model::StopJob::Reason;
    using Outcome = model::AllocationEnded::Outcome;
    const std::uint32_t job = job_of(stop.id.job);
    const bool over = stop.reason == Reason::kTimeLimit;
    const bool lost = stop.reason == Reason::kNodeLost;
    if (work_.running(job)) {
      work_.interrupt(job, now,
                      over   ? StretchEnd::kTimeLimit
                      : lost ? StretchEnd::kNodeLost
                             : StretchEnd::kStopped);
    }
    if (!over && !lost) ++result_.preemptions;
    const auto ok =
        leave(state_.find(stop.id.job), over ? Outcome::kTimedOut : Outcome::kStopped, now);
    HEADROOM_ASSERT(ok.has_value());
    digest_.add(now.value());
    digest_.add(-stop.id.job.number);
    stopped_ = true;  // what it held may start others: another cycle at once
  }

  void carry_out(const model::RejectJob& reject, base::Time now) {
    JobRun& run = result_.jobs[job_of(reject.job)];
    run.end = now;
    run.outcome = schedule::JobOutcome::kRejected;
    run.rejected = reject.reason;
    --open_;
  }

  template <class Other>
  void carry_out(const Other&, base::Time) {}

  const ReplayInput& input_;
  const model::History& history_;
  ReplayResult result_;
  std::shared_ptr<const schedule::QueueTree> tree_;
  State state_;
  schedule::Scheduler scheduler_;
  Submissions submissions_;
  Durations durations_;
  Work work_;
  Meter meter_;
  NodeFaults faults_;
  Happenings happenings_;
  std::uint64_t sequence_ = 0;
  std::uint64_t records_ = 0;
  std::uint32_t wake_version_ = 0;
  std::size_t to_submit_ = 0;
  std::size_t open_ = 0;  // jobs that have not ended
  bool stopped_ = false;  // by the cycle at hand
  base::Digest digest_;
};

}  // namespace

base::Result<ReplayResult> replay(const ReplayInput& input) {
  schedule::PolicySettings settings = input.policy_settings;
  settings.least_run = input.checkpoint_every + input.restart_cost;
  settings.slurm.fixed = slurm_fixed_part(settings.slurm.priority, *input.jobs);
  auto policy = schedule::make_policy(input.policy, settings);
  if (policy == nullptr) return base::fail("unknown policy '" + input.policy + "'");
  auto placement = schedule::make_placement(input.placement, *input.cluster, {});
  if (placement == nullptr) return base::fail("unknown placement '" + input.placement + "'");
  return Replay(input, std::move(policy), std::move(placement)).run();
}

}  // namespace headroom::simulate
