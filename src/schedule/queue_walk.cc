#include "schedule/queue_walk.h"

namespace headroom::schedule {

void QueueWalk::count(const State& state) {
  state_ = &state;
  const QueueTree& tree = state.queues();
  tried_.assign(tree.size(), 0);
  left_.assign(tree.size(), 0);
  for (std::size_t q = tree.size(); q-- > 0;) {  // children come after their parents
    const QueueId id{q};
    left_[q] += static_cast<std::int64_t>(state.waiting(id).size());
    if (tree[id].parent.valid()) left_[tree[id].parent.index()] += left_[q];
  }
  heaps_.resize(tree.size() + 1);
  for (std::size_t q = 0; q < tree.size(); ++q) heaps_[q] = tree[QueueId{q}].children;
  heaps_.back() = tree.top();
}

JobSlot QueueWalk::take(QueueId leaf) {
  const JobSlot job = state_->waiting(leaf)[tried_[leaf.index()]++];
  for (QueueId q = leaf; q.valid(); q = state_->queues()[q].parent) --left_[q.index()];
  return job;
}

}  // namespace headroom::schedule
