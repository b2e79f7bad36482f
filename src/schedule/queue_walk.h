// QueueWalk: the waiting jobs of all queues, from the top of the tree down: at each level the queue
// that `before` puts first among those that have jobs not yet given; in a leaf, its jobs in order.
// For policies whose order of queues changes with every start.
//
//   begin     O(queues)
//   next      O(depth x log siblings)
//   started   O(depth x log siblings)
#pragma once

#include <algorithm>
#include <vector>

#include "schedule/state.h"

namespace headroom::schedule {

class QueueWalk {
 public:
  // `before(a, b)`: a comes before b; of equal queues the one that comes first by name does. It may
  // change for the queues of a job that starts; for others reorder() is called.
  template <class Before>
  void begin(const State& state, Before before) {
    count(state);
    reorder(before);
  }

  // The order of any queues has changed. O(queues).
  template <class Before>
  void reorder(Before before) {
    for (std::vector<QueueId>& heap : heaps_) {
      std::make_heap(heap.begin(), heap.end(), last_first(before));
    }
  }

  // none() when every job was given.
  template <class Before>
  JobSlot next(Before before) {
    QueueId queue = first(QueueId::none(), before);
    if (!queue.valid()) return JobSlot::none();
    while (!state_->queues()[queue].leaf()) queue = first(queue, before);
    return take(queue);
  }

  // The job that was given last starts, and its queues have been moved back accordingly.
  template <class Before>
  void started(JobSlot job, Before before) {
    for (QueueId q = state_->job(job).spec->queue; q.valid(); q = state_->queues()[q].parent) {
      std::vector<QueueId>& heap = heap_of(state_->queues()[q].parent);
      HEADROOM_ASSERT(heap.front() == q);
      std::pop_heap(heap.begin(), heap.end(), last_first(before));  // looks at the others only
      std::push_heap(heap.begin(), heap.end(), last_first(before));
    }
  }

 private:
  // The order of heaps: the queue that comes first is in front.
  template <class Before>
  static auto last_first(Before before) {
    return [before](QueueId a, QueueId b) {
      if (before(b, a)) return true;
      return !before(a, b) && b < a;
    };
  }

  template <class Before>
  QueueId first(QueueId parent, Before before) {
    std::vector<QueueId>& heap = heap_of(parent);
    while (!heap.empty() && left_[heap.front().index()] == 0) {
      std::pop_heap(heap.begin(), heap.end(), last_first(before));
      heap.pop_back();
    }
    return heap.empty() ? QueueId::none() : heap.front();
  }

  void count(const State& state);
  JobSlot take(QueueId leaf);
  std::vector<QueueId>& heap_of(QueueId parent) {
    return heaps_[parent.valid() ? parent.index() : heaps_.size() - 1];
  }

  const State* state_ = nullptr;
  std::vector<std::size_t> tried_;           // by leaf: jobs already given
  std::vector<std::int64_t> left_;           // by queue: jobs of its subtree not yet given
  std::vector<std::vector<QueueId>> heaps_;  // by parent, the top last: queues that may have some
};

}  // namespace headroom::schedule
