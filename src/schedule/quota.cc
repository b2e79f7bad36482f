#include "schedule/quota.h"
#include "schedule/mutants.h"

namespace headroom::schedule {

Quota::Quota(const State& state)
    : state_(state),
      pools_(state.queues().pools().size()),
      held_(state.queues().size() * pools_, 0),
      firm_(held_) {
  for (std::size_t p = 0; p < pools_; ++p) {
    promises_.push_back(state.queues().promises(PoolId{p}, state.capacity(PoolId{p})));
  }
}

const State::UserTotals* Quota::taken_by(const JobSpec& spec) const {
  for (const Taken& one : taken_) {
    if (one.queue == spec.queue && one.user == spec.user) return &one.totals;
  }
  return nullptr;
}

std::optional<Reason> Quota::refuses(const JobSpec& spec, PoolId pool, std::int64_t amount,
                                     bool starts) const {
  const QueueTree& tree = state_.queues();
  for (QueueId q = spec.queue; q.valid(); q = tree[q].parent) {
    const std::int64_t limit = tree[q].limit[pool.index()];
    const std::int64_t now = held(q, pool);
    const std::int64_t slack = mutated(Mutant::kLimitOffByOne) ? kDeviceMilli : 0;
    if (limit != kNoLimit && now + amount > limit + slack) {
      return Reason{Reason::Kind::kQueueLimit, pool, amount, limit - now, q, {}};
    }
    const std::int64_t promise = promises_[pool.index()][q.index()];
    if (spec.preemptible || !tree.binds(q, promise)) continue;
    const std::int64_t firm = state_.held_firmly(q, pool) + firm_[at(q, pool)];
    if (firm + amount > promise && !mutated(Mutant::kFirmAbovePromise)) {
      return Reason{Reason::Kind::kGuarantee, pool, amount, promise - firm, q, {}};
    }
  }
  if (starts && spec.job->array && spec.job->array->most_running > 0) {
    std::int64_t running = state_.array_running(spec.id.number);
    for (const std::int64_t number : elements_) running += number == spec.id.number ? 1 : 0;
    if (running >= spec.job->array->most_running && !mutated(Mutant::kArrayLimitIgnored)) {
      return Reason{Reason::Kind::kArrayLimit, pool, amount, 0, spec.queue, {}};
    }
  }
  const model::UserLimits& limits = tree[spec.queue].user_limits;
  if (limits.gpus < 0 && limits.running < 0) return std::nullopt;
  State::UserTotals totals = state_.user_totals(spec.queue, spec.user);
  if (const State::UserTotals* taken = taken_by(spec)) {
    totals.gpu_milli += taken->gpu_milli;
    totals.running += taken->running;
  }
  const bool gpus = limits.gpus >= 0 && pool != state_.cpu_pool() &&
                    totals.gpu_milli + amount > limits.gpus * kDeviceMilli;
  const bool running = starts && limits.running >= 0 && totals.running + 1 > limits.running;
  if ((!gpus && !running) || mutated(Mutant::kUserLimitIgnored)) return std::nullopt;
  const std::int64_t left = gpus ? limits.gpus * kDeviceMilli - totals.gpu_milli : 0;
  return Reason{Reason::Kind::kUserLimit, pool, amount, left, spec.queue, {}};
}

void Quota::take(const JobSpec& spec, PoolId pool, std::int64_t amount, bool starts) {
  const QueueTree& tree = state_.queues();
  for (QueueId q = spec.queue; q.valid(); q = tree[q].parent) {
    held_[at(q, pool)] += amount;
    if (!spec.preemptible) firm_[at(q, pool)] += amount;
  }
  if (starts && spec.job->array && spec.job->array->most_running > 0) {
    elements_.push_back(spec.id.number);
  }
  const model::UserLimits& limits = tree[spec.queue].user_limits;
  if (limits.gpus < 0 && limits.running < 0) return;
  if (taken_by(spec) == nullptr) taken_.push_back({spec.queue, spec.user, {}});
  for (Taken& one : taken_) {
    if (one.queue != spec.queue || one.user != spec.user) continue;
    if (starts) ++one.totals.running;
    if (pool != state_.cpu_pool()) one.totals.gpu_milli += amount;
  }
}

}  // namespace headroom::schedule
