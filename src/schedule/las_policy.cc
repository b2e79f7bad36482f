#include "schedule/las_policy.h"

#include <algorithm>
#include <set>

#include "schedule/quota.h"
#include "schedule/stopping.h"

namespace headroom::schedule {

namespace {

// Thousandths x milliseconds, in all attempts.
std::int64_t attained(const State& state, const JobEntry& job) {
  if (job.running == 0) return job.attained;
  return job.attained + job.charged * base::between(job.started, state.now()).value();
}

const PoolOption* option_in(const JobSpec& spec, PoolId pool) {
  for (const PoolOption& option : spec.pools) {
    if (option.pool == pool) return &option;
  }
  return nullptr;
}

}  // namespace

bool LasPolicy::lower(const State& state, JobSlot slot) const {
  return attained(state, state.job(slot)) >= threshold_;
}

bool LasPolicy::before(const State& state, JobSlot a, JobSlot b) const {
  const bool low_a = lower(state, a);
  const bool low_b = lower(state, b);
  return low_a != low_b ? low_b : schedule::before(state, a, b);
}

// Jobs that cannot be stopped now hold what they hold; the others share the rest in order.
LasPolicy::Wishes LasPolicy::wishes(const State& state, PoolId pool) const {
  Wishes wishes;
  std::int64_t left = state.capacity(pool);
  std::vector<JobSlot> movable;
  for (const JobSlot slot : state.running()) {
    if (state.job(slot).pool != pool) continue;
    if (stoppable(state, slot, least_run_)) {
      movable.push_back(slot);
    } else {
      left -= state.job(slot).charged;
    }
  }
  if (movable.empty()) return wishes;
  std::sort(movable.begin(), movable.end(),
            [&](JobSlot a, JobSlot b) { return before(state, a, b); });
  auto running = movable.begin();
  const auto run_before = [&](const JobSlot* waiting) {
    while (running != movable.end() && (!waiting || before(state, *running, *waiting))) {
      const std::int64_t held = state.job(*running).charged;
      if (held <= left) {
        left -= held;
      } else {
        wishes.stops.push_back(*running);
      }
      ++running;
    }
  };
  for (const bool second : {false, true}) {
    for (const JobSlot slot : state.all_waiting()) {
      if (left <= 0) break;
      const PoolOption* option = option_in(*state.job(slot).spec, pool);
      if (option == nullptr || lower(state, slot) != second) continue;
      run_before(&slot);
      if (option->least > left) continue;
      left -= option->least;
      wishes.starts.emplace_back(slot, *option);
    }
  }
  run_before(nullptr);
  std::reverse(wishes.stops.begin(), wishes.stops.end());
  return wishes;
}

std::vector<JobSlot> LasPolicy::stops(const State& state) {
  std::vector<JobSlot> stopped;
  wave_ = wave_under_way(state);
  if (!may_stop(state)) return stopped;
  std::optional<Clearing> clearing;
  std::set<JobSlot> served;         // in another pool
  std::set<std::uint64_t> refused;  // kinds of jobs, since the last that got room
  const Quota quota(state);
  for (std::size_t p = 0; p < state.queues().pools().size(); ++p) {
    Wishes wishes = this->wishes(state, PoolId{p});
    for (const auto& [job, option] : wishes.starts) {
      if (wishes.stops.empty()) break;
      const JobSpec& spec = *state.job(job).spec;
      if (served.contains(job) || refused.contains(option.key)) continue;
      if (quota.refuses(spec, option.pool, option.least)) continue;
      if (!clearing) clearing.emplace(state);
      if (clearing->fits(job, option)) continue;
      const auto victims = clearing->make_room(job, option, wishes.stops);
      if (!victims) {
        refused.insert(option.key);
        continue;
      }
      refused.clear();
      served.insert(job);
      for (const JobSlot victim : *victims) std::erase(wishes.stops, victim);
      stopped.insert(stopped.end(), victims->begin(), victims->end());
    }
  }
  wave_ = !stopped.empty();
  return stopped;
}

void LasPolicy::begin(const State& state, PoolId) {
  state_ = &state;
  second_ = false;
  next_ = 0;
}

JobSlot LasPolicy::next() {
  if (wave_) return JobSlot::none();
  const std::vector<JobSlot>& waiting = state_->all_waiting();
  for (;; ++next_) {
    if (next_ == waiting.size()) {
      if (second_) return JobSlot::none();
      second_ = true;
      next_ = 0;
      if (waiting.empty()) return JobSlot::none();
    }
    if (lower(*state_, waiting[next_]) == second_) return waiting[next_++];
  }
}

// When a job goes down, or may be stopped, while others wait.
base::Time LasPolicy::wakeup(const State& state) const {
  if (state.all_waiting().empty()) return kNever;
  base::Time first = next_stoppable(state, least_run_);
  for (const JobSlot slot : state.running()) {
    const JobEntry& job = state.job(slot);
    const std::int64_t rest = threshold_ - attained(state, job);
    if (!stoppable(state, slot, least_run_) || rest <= 0 || job.charged <= 0) continue;
    first = std::min(first, state.now() + base::Duration{(rest + job.charged - 1) / job.charged});
  }
  return first;
}

}  // namespace headroom::schedule
