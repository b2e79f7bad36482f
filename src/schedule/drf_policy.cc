#include "schedule/drf_policy.h"

namespace headroom::schedule {

namespace {

__extension__ using Wide = __int128;

}  // namespace

// Shares are over all pools, so they are counted once a cycle, before the first.
void DrfPolicy::begin(const State& state, PoolId pool) {
  state_ = &state;
  pool_ = pool;
  if (pool.index() == 0) shares_.reset(state);
  walk_.begin(state, [this](QueueId a, QueueId b) { return less(a, b); });
}

bool DrfPolicy::less(QueueId a, QueueId b) const {
  const QueueTree& tree = state_->queues();
  return Wide{shares_.of(a)} * tree[b].weight < Wide{shares_.of(b)} * tree[a].weight;
}

JobSlot DrfPolicy::next() {
  return walk_.next([this](QueueId a, QueueId b) { return less(a, b); });
}

void DrfPolicy::started(JobSlot job, std::int64_t amount) {
  shares_.take(*state_->job(job).spec, pool_ == state_->cpu_pool() ? 0 : amount);
  walk_.started(job, [this](QueueId a, QueueId b) { return less(a, b); });
}

}  // namespace headroom::schedule
