// QueueWalk: the waiting jobs of all queues, from the top of the tree down: at each level the queue
// that `before` puts first among those that have jobs not yet given; in a leaf, its jobs in order.
// For policies whose order of queues changes with every start.
//
//   begin   O(queues)
//   next    O(depth x siblings)
#pragma once

#include <vector>

#include "schedule/state.h"

namespace headroom::schedule {

class QueueWalk {
 public:
  void begin(const State& state);

  // none() when every job was given. Of equal queues, the one that comes first by name.
  template <class Before>
  JobSlot next(Before before) {
    QueueId queue = first(state_->queues().top(), before);
    if (!queue.valid()) return JobSlot::none();
    while (!state_->queues()[queue].leaf()) queue = first(state_->queues()[queue].children, before);
    return take(queue);
  }

 private:
  template <class Before>
  QueueId first(const std::vector<QueueId>& siblings, Before before) const {
    QueueId best;
    for (const QueueId id : siblings) {
      if (left_[id.index()] == 0) continue;
      if (!best.valid() || before(id, best)) best = id;
    }
    return best;
  }

  JobSlot take(QueueId leaf);

  const State* state_ = nullptr;
  std::vector<std::size_t> tried_;  // by leaf: jobs already given
  std::vector<std::int64_t> left_;  // by queue: jobs of its subtree not yet given
};

}  // namespace headroom::schedule
