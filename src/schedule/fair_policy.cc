#include "schedule/fair_policy.h"

#include <algorithm>

#include "schedule/fair_share.h"
#include "schedule/planner.h"
#include "schedule/usage.h"

namespace headroom::schedule {

namespace {

__extension__ using Wide = __int128;

constexpr base::Duration kLongestPatience{86'400'000};  // a day

constexpr std::int64_t kMillion = 1'000'000;

// Use of the past, and what running jobs are expected to use still, by queue, as a part of what the
// pool could have given in that time.
std::vector<std::int64_t> past_ppm(const State& state, PoolId pool) {
  const QueueTree& tree = state.queues();
  std::vector<Wide> used(tree.size(), 0);
  for (std::size_t q = 0; q < tree.size(); ++q) used[q] = state.used(QueueId{q}, pool);
  base::Duration longest{0};
  for (const JobSlot slot : state.running()) {
    const JobEntry& job = state.job(slot);
    if (job.pool != pool) continue;
    const base::Duration rest =
        std::max(base::Duration{0}, base::between(state.now(), job.expected_end));
    longest = std::max(longest, rest);
    for (QueueId q = job.spec->queue; q.valid(); q = tree[q].parent) {
      used[q.index()] += Wide{job.charged} * rest.value();
    }
  }
  const base::Duration since = base::between(state.began(), state.now());
  const Wide offered =
      Wide{decayed_integral(state.capacity(pool), since, state.settings().half_life)} +
      Wide{state.capacity(pool)} * longest.value();
  std::vector<std::int64_t> ppm(tree.size(), 0);
  for (std::size_t q = 0; q < ppm.size() && offered > 0; ++q) {
    ppm[q] = static_cast<std::int64_t>(std::min<Wide>(kMillion, used[q] * kMillion / offered));
  }
  return ppm;
}

}  // namespace

void FairPolicy::refresh(const State& state, PoolId pool) {
  shares_.resize(state.queues().pools().size());
  Shares& shares = shares_[pool.index()];
  std::vector<std::int64_t> demand(state.queues().size());
  std::vector<bool> wanting(demand.size());
  for (std::size_t q = 0; q < demand.size(); ++q) {
    demand[q] = state.held(QueueId{q}, pool) + state.wanted(QueueId{q}, pool);
    wanting[q] = demand[q] > 0;
  }
  if (state.now() < shares.until && wanting == shares.wanting) return;
  const FairShareInput input{.pool = pool,
                             .capacity = state.capacity(pool),
                             .promised = state.queues().promises(pool, state.capacity(pool)),
                             .demand = std::move(demand),
                             .past_ppm = past_ppm(state, pool),
                             .k_permille = state.settings().past_weight_permille};
  shares.amount = fair_share(state.queues(), input);
  shares.wanting = std::move(wanting);
  shares.until = state.now() + state.settings().epoch;
}

void FairPolicy::begin(const State& state, PoolId pool) {
  state_ = &state;
  pool_ = pool;
  refresh(state, pool);
  const QueueTree& tree = state.queues();
  held_.assign(tree.size(), 0);
  for (std::size_t q = 0; q < tree.size(); ++q) held_[q] = state.held(QueueId{q}, pool);
  backfills_ = false;
  walk_.begin(state, [this](QueueId a, QueueId b) { return less_saturated(a, b); });
}

// held / share, compared without dividing; no share at all counts as full.
bool FairPolicy::less_saturated(QueueId a, QueueId b) const {
  const std::vector<std::int64_t>& share = shares_[pool_.index()].amount;
  const std::int64_t share_a = share[a.index()];
  const std::int64_t share_b = share[b.index()];
  if ((share_a == 0) != (share_b == 0)) return share_b == 0;
  if (share_a == 0) return held_[a.index()] < held_[b.index()];
  return Wide{held_[a.index()]} * share_b < Wide{held_[b.index()]} * share_a;
}

JobSlot FairPolicy::next() {
  if (backfills_) return backfill_.next();
  return walk_.next([this](QueueId a, QueueId b) { return less_saturated(a, b); });
}

void FairPolicy::started(JobSlot job, std::int64_t amount) {
  for (QueueId q = state_->job(job).spec->queue; q.valid(); q = state_->queues()[q].parent) {
    held_[q.index()] += amount;
  }
  if (backfills_) return;
  walk_.started(job, [this](QueueId a, QueueId b) { return less_saturated(a, b); });
}

bool FairPolicy::may_reserve(const State& state, JobSlot slot) const {
  const JobEntry& job = state.job(slot);
  const base::Duration run = planned_time(*job.spec, state.settings());
  return base::between(job.queued_since, state.now()) >= std::min(run, kLongestPatience);
}

void FairPolicy::blocked(JobSlot) {
  if (backfills_) return;
  backfills_ = true;
  std::vector<bool> below(held_.size());
  for (std::size_t q = 0; q < held_.size(); ++q) {
    below[q] = held_[q] < shares_[pool_.index()].amount[q];
  }
  backfill_.begin(*state_, walk_.rest(), below);
}

}  // namespace headroom::schedule
