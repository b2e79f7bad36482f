#include "simulate/replay.h"

#include <algorithm>
#include <map>
#include <queue>

#include "base/digest.h"
#include "schedule/placements.h"
#include "schedule/policies.h"
#include "schedule/scheduler.h"
#include "simulate/durations.h"

namespace headroom::simulate {

namespace {

using schedule::JobSlot;
using schedule::State;

constexpr std::int64_t kPlanPermille = 750;  // planning uses P75

// What happens in virtual time, in a total order: time, then kind, then sequence.
struct Happening {
  enum class Kind : std::uint8_t { kRecover, kEnd, kFail, kSubmit, kWake };

  base::Time time;
  Kind kind = Kind::kWake;
  std::uint64_t sequence = 0;
  std::uint32_t subject = 0;  // job or outage
  std::uint32_t version = 0;  // of the run that ends; an older one is void

  friend bool operator>(const Happening& a, const Happening& b) {
    if (a.time != b.time) return a.time > b.time;
    if (a.kind != b.kind) return a.kind > b.kind;
    return a.sequence > b.sequence;
  }
};

// The work of one job.
struct Progress {
  base::Duration left;      // of its run time
  base::Duration overhead;  // restart cost of this stretch, paid first
  base::Time since;         // this stretch began; meaningless while it does not run
  bool running = false;
  std::uint32_t version = 0;
};

class Replay {
 public:
  Replay(const ReplayInput& input, std::unique_ptr<schedule::Policy> policy,
         std::unique_ptr<schedule::Placement> placement)
      : input_(input),
        history_(*input.jobs),
        tree_(std::make_shared<const schedule::QueueTree>(input.queues,
                                                          schedule::pool_names(*input.cluster))),
        state_(input.cluster, tree_, input.settings),
        scheduler_(state_, std::move(policy), std::move(placement)),
        progress_(history_.jobs.size()) {}

  base::Result<ReplayResult> run() {
    if (history_.jobs.empty()) return base::fail("the history has no jobs to replay");
    prepare();
    while (!happenings_.empty()) {
      const base::Time now = happenings_.top().time;
      account(now);
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
    result_.digest = digest_.value();
    return std::move(result_);
  }

 private:
  void prepare() {
    result_.jobs.resize(history_.jobs.size());
    for (std::uint32_t i = 0; i < history_.jobs.size(); ++i) {
      const model::HistoricJob& job = history_.jobs[i];
      result_.jobs[i].job = i;
      result_.jobs[i].submitted = job.submit;
      if (job.number > 0) index_of_number_[job.number] = i;
      push(job.submit, Happening::Kind::kSubmit, i);
    }
    for (std::uint32_t i = 0; i < input_.outages.size(); ++i) {
      push(input_.outages[i].from, Happening::Kind::kFail, i);
      push(input_.outages[i].to, Happening::Kind::kRecover, i);
    }
    result_.first = result_.last = accounted_ = happenings_.top().time;
  }

  void push(base::Time time, Happening::Kind kind, std::uint32_t subject,
            std::uint32_t version = 0) {
    happenings_.push({time, kind, sequence_++, subject, version});
  }

  static model::JobId id_of(std::uint32_t job) { return {std::int64_t{job} + 1, -1}; }
  static std::uint32_t job_of(model::JobId id) { return static_cast<std::uint32_t>(id.number - 1); }

  base::Result<void> record(const model::Event& event, base::Time now) {
    if (auto ok = check(state_, event); !ok) return ok;
    apply(state_, {.sequence = ++records_, .time = now, .what = event});
    return {};
  }

  // The end of an earlier run, or a wake-up that a later cycle has moved.
  bool stale(const Happening& what) const {
    if (what.kind == Happening::Kind::kEnd) return progress_[what.subject].version != what.version;
    return what.kind == Happening::Kind::kWake && what.version != wake_version_;
  }

  base::Result<void> happen(const Happening& what) {
    switch (what.kind) {
      case Happening::Kind::kSubmit:
        return submit(what.subject, what.time);
      case Happening::Kind::kEnd:
        return end(what.subject, what.time);
      case Happening::Kind::kFail:
        return fail_node(input_.outages[what.subject].node, what.time);
      case Happening::Kind::kRecover:
        return record(model::NodeRecovered{input_.outages[what.subject].node}, what.time);
      case Happening::Kind::kWake:
        return record(model::Cycle{}, what.time);
    }
    return {};
  }

  base::Result<void> submit(std::uint32_t job, base::Time now) {
    const model::HistoricJob& historic = history_.jobs[job];
    model::JobSubmitted event{.id = id_of(job), .job = historic.job, .speed_permille = {}};
    std::erase_if(event.job.after, [&](model::Dependency& one) {
      const auto found = index_of_number_.find(one.job);
      if (found == index_of_number_.end() || found->second >= job) return true;
      one.job = id_of(found->second).number;
      return false;
    });
    event.planned = durations_.quantile(historic.job, kPlanPermille);
    if (auto ok = record(event, now); !ok) {
      return base::fail("job " + historic.id + ": " + ok.error().message);
    }
    progress_[job].left = historic.run;
    scheduler_.arrived(state_.find(id_of(job)));
    return {};
  }

  base::Result<void> end(std::uint32_t job, base::Time now) {
    const JobSlot slot = state_.find(id_of(job));
    leave(job, now, progress_[job].left);
    const model::HistoricJob& historic = history_.jobs[job];
    using Outcome = model::AllocationEnded::Outcome;
    const bool failed = historic.outcome == model::Outcome::kFailed ||
                        historic.outcome == model::Outcome::kOutOfMemory;
    const Outcome outcome = historic.outcome == model::Outcome::kTimedOut ? Outcome::kTimedOut
                            : failed                                      ? Outcome::kFailed
                                                                          : Outcome::kCompleted;
    durations_.ended(historic.job, historic.run);
    const model::AllocationId id{id_of(job), state_.job(slot).attempt};
    if (auto ok = record(model::AllocationEnded{id, outcome, 0}, now); !ok) return ok;
    JobRun& run = result_.jobs[job];
    run.end = now;
    run.outcome = state_.outcome(id_of(job).number);
    result_.last = std::max(result_.last, now);
    return {};
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
    std::sort(hit.begin(), hit.end());
    hit.erase(std::unique(hit.begin(), hit.end()), hit.end());
    for (const std::uint32_t job : hit) {
      if (progress_[job].running) leave(job, now, kept_work(job, now));
      const schedule::JobEntry& entry = state_.job(state_.find(id_of(job)));
      if (entry.running + entry.finished >= entry.spec->gang_minimum) go(job, now, true);
    }
    return {};
  }

  // What of this stretch is safe: whole checkpoint intervals after the restart cost.
  base::Duration kept_work(std::uint32_t job, base::Time now) const {
    const Progress& work = progress_[job];
    const base::Duration worked = base::between(work.since + work.overhead, now);
    if (worked <= base::Duration{0}) return base::Duration{0};
    const auto& checkpoint = history_.jobs[job].job.checkpoint;
    const base::Duration every = checkpoint && checkpoint->every > base::Duration{0}
                                     ? checkpoint->every
                                     : input_.checkpoint_every;
    return every * (worked / every);
  }

  // A stretch of work ends; `kept` of it counts.
  void leave(std::uint32_t job, base::Time now, base::Duration kept) {
    Progress& work = progress_[job];
    const base::Duration ran = base::between(work.since, now);
    work.left -= kept;
    work.running = false;
    ++work.version;
    result_.jobs[job].ran += ran;
    result_.jobs[job].lost += ran - kept;
  }

  void go(std::uint32_t job, base::Time now, bool again) {
    Progress& work = progress_[job];
    const base::Duration own = history_.jobs[job].job.restart_cost;
    const base::Duration cost = own > base::Duration{0} ? own : input_.restart_cost;
    work.overhead = again ? cost : base::Duration{0};
    work.since = now;
    work.running = true;
    push(now + work.overhead + work.left, Happening::Kind::kEnd, job, ++work.version);
  }

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
    waiting_ = false;
    for (std::size_t q = 0; q < tree_->size() && !waiting_; ++q) {
      waiting_ = !state_.waiting(schedule::QueueId{q}).empty();
    }
    cause_ = scheduler_.head_reason().kind;
  }

  void carry_out(const model::StartJob& start, base::Time now) {
    const std::uint32_t job = job_of(start.id.job);
    JobRun& run = result_.jobs[job];
    if (run.first_start == schedule::kNever) run.first_start = now;
    ++run.starts;
    const schedule::JobEntry& entry = state_.job(state_.find(start.id.job));
    if (entry.pool != state_.cpu_pool()) run.gpu_milli = entry.charged;
    digest_.add(now.value());
    digest_.add(start.id.job.number);
    for (const model::TaskPlacement& task : start.placement) {
      digest_.add(std::uint64_t{task.node.index()});
      for (const model::DeviceUse& use : task.devices) digest_.add(std::int64_t{use.gpu});
    }
    go(job, now, run.starts > 1);
  }

  void carry_out(const model::StopJob& stop, base::Time now) {
    const std::uint32_t job = job_of(stop.id.job);
    if (progress_[job].running) leave(job, now, kept_work(job, now));
    if (stop.reason != model::StopJob::Reason::kNodeLost) ++result_.preemptions;
    using Outcome = model::AllocationEnded::Outcome;
    const auto ok = record(model::AllocationEnded{stop.id, Outcome::kStopped, 0}, now);
    HEADROOM_ASSERT(ok.has_value());
    digest_.add(now.value());
    digest_.add(-stop.id.job.number);
    stopped_ = true;  // what it held may start others: another cycle at once
  }

  void carry_out(const model::RejectJob& reject, base::Time now) {
    JobRun& run = result_.jobs[job_of(reject.job)];
    run.end = now;
    run.outcome = schedule::JobOutcome::kRejected;
  }

  template <class Other>
  void carry_out(const Other&, base::Time) {}

  // What was held and idle since the last event.
  void account(base::Time now) {
    const std::int64_t step = base::between(accounted_, now).value();
    std::int64_t capacity = 0;
    std::int64_t held = 0;
    for (std::size_t p = 0; p + 1 < tree_->pools().size(); ++p) {
      capacity += state_.capacity(schedule::PoolId{p});
      for (const schedule::QueueId top : tree_->top())
        held += state_.held(top, schedule::PoolId{p});
    }
    result_.capacity_milli_ms += capacity * step;
    result_.allocated_milli_ms += held * step;
    if (waiting_) {
      result_.idle_waiting_milli_ms[static_cast<std::size_t>(cause_)] += (capacity - held) * step;
    }
    accounted_ = now;
  }

  const ReplayInput& input_;
  const model::History& history_;
  std::shared_ptr<const schedule::QueueTree> tree_;
  State state_;
  schedule::Scheduler scheduler_;
  Durations durations_;
  std::vector<Progress> progress_;  // by job
  std::map<std::int64_t, std::uint32_t> index_of_number_;
  std::priority_queue<Happening, std::vector<Happening>, std::greater<>> happenings_;
  std::uint64_t sequence_ = 0;
  std::uint64_t records_ = 0;
  std::uint32_t wake_version_ = 0;
  bool stopped_ = false;  // by the cycle at hand
  base::Time accounted_;
  bool waiting_ = false;
  schedule::Reason::Kind cause_ = schedule::Reason::Kind::kNone;
  base::Digest digest_;
  ReplayResult result_;
};

}  // namespace

base::Result<ReplayResult> replay(const ReplayInput& input) {
  auto policy = schedule::make_policy(input.policy, input.policy_settings);
  if (policy == nullptr) return base::fail("unknown policy '" + input.policy + "'");
  auto placement = schedule::make_placement(input.placement, *input.cluster, {});
  if (placement == nullptr) return base::fail("unknown placement '" + input.placement + "'");
  return Replay(input, std::move(policy), std::move(placement)).run();
}

}  // namespace headroom::simulate
