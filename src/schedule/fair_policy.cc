#include "schedule/fair_policy.h"

#include <algorithm>

#include "schedule/fair_share.h"
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
  refresh(state, pool);
  const QueueTree& tree = state.queues();
  const std::vector<std::int64_t>& share = shares_[pool.index()].amount;
  std::vector<bool> below(tree.size());
  for (std::size_t q = 0; q < tree.size(); ++q) below[q] = state.held(QueueId{q}, pool) < share[q];
  order_.begin(state, below);
}

JobSlot FairPolicy::next() { return order_.next(); }

bool FairPolicy::may_reserve(const State& state, JobSlot slot) const {
  const JobEntry& job = state.job(slot);
  const base::Duration run = planned_time(*job.spec, state.settings());
  return base::between(job.queued_since, state.now()) >= std::min(run, kLongestPatience);
}

}  // namespace headroom::schedule
