// Changes of jobs: submission, order of waiting, hold, end.
#include <algorithm>

#include "base/digest.h"
#include "schedule/changes.h"
#include "schedule/mutants.h"

namespace headroom::schedule {

namespace {

std::uint64_t key_of(const JobSpec& spec, PoolId pool) {
  base::Digest digest;
  digest.add(std::uint64_t{pool.index()});
  for (std::size_t g = 0; g < spec.requests.size(); ++g) {
    digest.add(std::uint64_t{spec.requests[g].index()});
    digest.add(spec.job->groups[g].tasks);
  }
  digest.add(spec.tasks);
  digest.add(spec.gang_minimum);
  if (spec.job->topology) {
    const auto level = [](const std::optional<model::Level>& one) {
      return one ? std::int64_t{static_cast<int>(*one)} : -1;
    };
    digest.add(level(spec.job->topology->required));
    digest.add(level(spec.job->topology->preferred));
    digest.add(spec.job->topology->segment);
  }
  return digest.value();
}

// How many of the first n tasks of the job are in this group.
std::int64_t counted(const JobSpec& spec, std::size_t group, std::int64_t n) {
  for (std::size_t g = 0; g < group; ++g) n -= spec.job->groups[g].tasks;
  return std::clamp<std::int64_t>(n, 0, spec.job->groups[group].tasks);
}

bool gpu_group(const model::TaskGroup& group) {
  return group.request.gpu.kind != model::GpuRequest::Kind::kNone;
}

}  // namespace

void Changes::erase_one(std::vector<JobSlot>& list, JobSlot slot) {
  const auto found = std::find(list.begin(), list.end(), slot);
  if (found != list.end()) list.erase(found);
}

JobSlot Changes::slot_of(model::JobId id) const {
  const JobSlot slot = s_.find(id);
  HEADROOM_ASSERT(slot.valid());
  return slot;
}

void Changes::advance(base::Time now) {
  HEADROOM_ASSERT(now >= s_.now_);
  if (s_.began_ == kNever) {
    s_.began_ = now;
    for (std::size_t i = 0; i < s_.usage_.size(); ++i) {
      s_.usage_[i].update(now, 0, s_.settings_.half_life);
    }
  }
  s_.now_ = now;
  if (now >= s_.next_begin_) unblock();
}

std::uint32_t Changes::user_number(const std::string& name) {
  const auto found = std::find(s_.users_.begin(), s_.users_.end(), name);
  const auto number = static_cast<std::uint32_t>(found - s_.users_.begin());
  if (found == s_.users_.end()) s_.users_.push_back(name);
  return number;
}

// Pools in which every group with GPUs finds a shape that could run it, in the order of the models
// that the first such group names.
std::vector<PoolOption> Changes::pool_options(const JobSpec& spec) const {
  const model::Job& job = *spec.job;
  const model::Cluster& cluster = s_.cluster_.cluster();
  std::vector<PoolOption> options;
  std::vector<std::size_t> rank;
  for (std::size_t p = 0; p + 1 < s_.queues_->pools().size(); ++p) {
    PoolOption option{.pool = PoolId{p}};
    std::size_t preference = 0;
    bool all = true;
    for (std::size_t g = 0; g < job.groups.size(); ++g) {
      if (!gpu_group(job.groups[g])) continue;
      const std::vector<Demand>& demands = s_.cluster_.requests().demands(spec.requests[g]);
      std::size_t shape = 0;
      while (shape < demands.size() &&
             (s_.pool_of_shape_[shape] != option.pool || !demands[shape].possible)) {
        ++shape;
      }
      all = all && shape < demands.size();
      if (!all) break;
      option.amount += counted(spec, g, spec.tasks) * demands[shape].gpu_milli();
      option.least += counted(spec, g, spec.gang_minimum) * demands[shape].gpu_milli();
      const auto& models = job.groups[g].request.gpu_models;
      const std::string& name = cluster.gpu_models[cluster.shapes[shape].gpu_model.index()].name;
      preference =
          static_cast<std::size_t>(std::find(models.begin(), models.end(), name) - models.begin());
    }
    if (!all || option.amount == 0) continue;
    const auto at = std::upper_bound(rank.begin(), rank.end(), preference) - rank.begin();
    rank.insert(rank.begin() + at, preference);
    options.insert(options.begin() + at, option);
  }
  return options;
}

std::shared_ptr<JobSpec> Changes::make_spec(const model::JobSubmitted& event) {
  auto spec = std::make_shared<JobSpec>();
  spec->id = event.id;
  spec->job = std::make_shared<const model::Job>(event.job);
  const model::Job& job = *spec->job;
  spec->queue = s_.queues_->find(job.queue);
  spec->user = user_number(job.user);
  spec->tasks = job.elastic ? job.elastic->min : job.tasks();
  spec->gang_minimum = job.elastic ? job.elastic->min : job.gang_minimum();
  // A gang with GPUs that runs has one at least.
  std::int64_t before_gpus = 0;
  for (std::size_t g = 0; g < job.groups.size() && !gpu_group(job.groups[g]); ++g) {
    before_gpus += job.groups[g].tasks;
  }
  if (before_gpus < job.tasks()) {
    spec->gang_minimum = std::max(spec->gang_minimum, before_gpus + 1);
    spec->tasks = std::max(spec->tasks, spec->gang_minimum);
  }
  spec->preemptible = job.is_preemptible();
  spec->planned = event.planned > base::Duration{0} ? event.planned : job.expected;
  if (spec->planned <= base::Duration{0}) spec->planned = job.time;
  if (job.time > base::Duration{0}) spec->planned = std::min(spec->planned, job.time);
  std::int64_t cpu = 0;
  std::int64_t least_cpu = 0;
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    const model::Request& request = job.groups[g].request;
    spec->requests.push_back(s_.cluster_.intern(request));
    cpu += counted(*spec, g, spec->tasks) * request.cpu.value();
    least_cpu += counted(*spec, g, spec->gang_minimum) * request.cpu.value();
  }
  if (std::any_of(job.groups.begin(), job.groups.end(), gpu_group)) {
    spec->pools = pool_options(*spec);
  } else {
    spec->pools = {{s_.cpu_pool(), cpu, least_cpu}};
  }
  for (PoolOption& option : spec->pools) option.key = key_of(*spec, option.pool);
  return spec;
}

void Changes::operator()(const model::JobSubmitted& event) {
  const std::shared_ptr<JobSpec> spec = make_spec(event);
  if (!spec->job->array) {
    add_job(spec);
    return;
  }
  const model::ArraySpec& array = *spec->job->array;
  s_.arrays_[spec->id.number] = {.first = array.first, .last = array.last};
  for (std::int64_t i = array.first; i <= array.last; ++i) {
    auto element = std::make_shared<JobSpec>(*spec);
    element->id.element = i;
    add_job(std::move(element));
  }
}

void Changes::add_job(std::shared_ptr<const JobSpec> spec) {
  JobSlot slot{s_.jobs_.size()};
  if (s_.free_slots_.empty()) {
    s_.jobs_.emplace_back();
  } else {
    slot = s_.free_slots_.back();
    s_.free_slots_.pop_back();
  }
  s_.slot_of_[State::key_of_job(spec->id)] = slot;
  ++s_.live_jobs_;
  JobEntry& job = entry(slot);
  job = JobEntry{};
  job.submitted = job.queued_since = s_.now_;
  ++s_.totals_of(*spec).waiting;
  if (spec->id.element >= 0) ++s_.arrays_[spec->id.number].live;
  const bool held = spec->job->hold && !mutated(Mutant::kHoldIgnored);
  job.status = held ? JobStatus::kHeld : JobStatus::kWaiting;
  job.spec = std::move(spec);
  if (job.status != JobStatus::kHeld) enqueue(slot);
}

// True while a dependency or the begin time stands against the job.
bool Changes::blocked(const JobSpec& spec) const {
  if (spec.job->begin > s_.now_ && !mutated(Mutant::kBeginIgnored)) return true;
  return std::any_of(
      spec.job->after.begin(), spec.job->after.end(), [&](const model::Dependency& one) {
        const JobOutcome outcome = s_.outcome(one.job);
        switch (one.kind) {
          case model::Dependency::Kind::kOk:
            if (mutated(Mutant::kDependencyIgnored)) return outcome == JobOutcome::kUnknown;
            return outcome != JobOutcome::kCompleted;
          case model::Dependency::Kind::kAny:
            return outcome == JobOutcome::kUnknown;
          case model::Dependency::Kind::kFailed:
            return outcome == JobOutcome::kUnknown || outcome == JobOutcome::kCompleted;
          case model::Dependency::Kind::kStarted:
            return !s_.has_started(one.job);
        }
        return false;
      });
}

void Changes::enqueue(JobSlot slot) {
  JobEntry& job = entry(slot);
  if (blocked(*job.spec)) {
    job.status = JobStatus::kBlocked;
    s_.blocked_.push_back(slot);
    if (job.spec->job->begin > s_.now_) {
      s_.next_begin_ = std::min(s_.next_begin_, job.spec->job->begin);
    }
    return;
  }
  queue_up(slot);
}

void Changes::queue_up(JobSlot slot) {
  JobEntry& job = entry(slot);
  job.status = JobStatus::kWaiting;
  const auto insert = [&](std::vector<JobSlot>& list) {
    const auto at = std::upper_bound(list.begin(), list.end(), slot,
                                     [&](JobSlot a, JobSlot b) { return before(s_, a, b); });
    list.insert(at, slot);
  };
  insert(s_.waiting_[job.spec->queue.index()]);
  insert(s_.all_waiting_);
  want(job, 1);
}

void Changes::dequeue(JobSlot slot) {
  JobEntry& job = entry(slot);
  if (job.status == JobStatus::kBlocked) erase_one(s_.blocked_, slot);
  if (job.status != JobStatus::kWaiting) return;
  const auto erase = [&](std::vector<JobSlot>& list) {
    const auto at = std::lower_bound(list.begin(), list.end(), slot,
                                     [&](JobSlot a, JobSlot b) { return before(s_, a, b); });
    HEADROOM_ASSERT(at != list.end() && *at == slot);
    list.erase(at);
  };
  erase(s_.waiting_[job.spec->queue.index()]);
  erase(s_.all_waiting_);
  want(job, -1);
}

// Called when a job has ended or started, or a begin time has come.
void Changes::unblock() {
  std::vector<JobSlot> ready;
  s_.next_begin_ = kNever;
  for (const JobSlot slot : s_.blocked_) {
    const base::Time begin = entry(slot).spec->job->begin;
    if (!blocked(*entry(slot).spec)) {
      ready.push_back(slot);
    } else if (begin > s_.now_) {
      s_.next_begin_ = std::min(s_.next_begin_, begin);
    }
  }
  for (const JobSlot slot : ready) {
    erase_one(s_.blocked_, slot);
    entry(slot).queued_since = s_.now_;
    enqueue(slot);
  }
}

void Changes::want(const JobEntry& job, std::int64_t sign) {
  if (job.spec->pools.empty()) return;
  const PoolOption& first = job.spec->pools.front();
  for (QueueId q = job.spec->queue; q.valid(); q = (*s_.queues_)[q].parent) {
    s_.wanted_[s_.at(q, first.pool)] += sign * first.amount;
  }
}

void Changes::operator()(const model::JobHeld& event) {
  const JobSlot slot = slot_of(event.id);
  if (event.held) {
    dequeue(slot);
    entry(slot).status = JobStatus::kHeld;
    entry(slot).planned_start = kNever;
  } else {
    enqueue(slot);
  }
}

// What may change while a job waits: its whole wish. It keeps its age.
void Changes::operator()(const model::JobChanged& event) {
  const JobSlot slot = slot_of(event.id);
  const bool held = entry(slot).status == JobStatus::kHeld;
  dequeue(slot);
  --s_.totals_of(*entry(slot).spec).waiting;
  const std::shared_ptr<JobSpec> spec = make_spec(
      {.id = event.id, .job = event.job, .speed_permille = {}, .planned = base::Duration{0}});
  entry(slot).spec = spec;
  entry(slot).planned_start = kNever;  // what was kept for it may not be what it wants now
  ++s_.totals_of(*spec).waiting;
  if (!held) enqueue(slot);
}

void Changes::operator()(const model::JobCancelled& event) {
  const JobSlot slot = slot_of(event.id);
  JobEntry& job = entry(slot);
  job.cancelled = true;
  if (job.status == JobStatus::kRunning) {
    job.status = JobStatus::kStopping;
  } else if (job.status != JobStatus::kStopping) {
    finish(slot, JobOutcome::kCancelled);
  }
}

// Back to waiting, with the age it had.
void Changes::requeue(JobSlot slot) {
  JobEntry& job = entry(slot);
  job.pool = PoolId::none();
  if (mutated(Mutant::kRequeueLosesAge)) job.queued_since = s_.now_;
  job.finished = 0;
  job.done.clear();
  job.degraded_since = kNever;
  job.planned_start = kNever;
  ++s_.totals_of(*job.spec).waiting;
  enqueue(slot);
}

// Its tasks are gone already.
void Changes::finish(JobSlot slot, JobOutcome outcome) {
  dequeue(slot);
  JobEntry& job = entry(slot);
  const model::JobId id = job.spec->id;
  const bool ran = job.status == JobStatus::kRunning || job.status == JobStatus::kStopping;
  if (!ran) --s_.totals_of(*job.spec).waiting;
  s_.slot_of_.erase(State::key_of_job(id));
  job = JobEntry{};
  s_.free_slots_.push_back(slot);
  --s_.live_jobs_;
  if (id.element >= 0) {
    State::ArrayTotals& array = s_.arrays_[id.number];
    if (outcome != JobOutcome::kCompleted) array.outcome = outcome;
    if (--array.live > 0) return;
    outcome = array.outcome;
    s_.arrays_.erase(id.number);
  }
  const auto number = static_cast<std::size_t>(id.number);
  if (s_.outcomes_.size() <= number) s_.outcomes_.resize(number + 1, JobOutcome::kUnknown);
  s_.outcomes_[number] = outcome;
  unblock();
}

}  // namespace headroom::schedule
