// fair_share: what each queue should have of one pool now, level by level down the tree.
//
// Rule     each queue first gets min(promise, demand, limit); the rest of what its parent has is
//          water-filled by priority, then by effective weight max(0, w + k (w - u)), where w is the
//          queue's weight among its siblings with demand and u its decayed share of the pool in the
//          past, both in millionths. k = 0 looks at the present only.
// Source   the weight formula is in common use for time-based fair share: a queue that used more
//          than its weight lately weighs less now, by k times the difference.
// Cost     O(queues log queues).
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/queue_tree.h"

namespace headroom::schedule {

struct FairShareInput {
  PoolId pool;
  std::int64_t capacity = 0;           // of healthy nodes, thousandths
  std::vector<std::int64_t> promised;  // by queue (QueueTree::promises)
  std::vector<std::int64_t> demand;    // by queue, its whole subtree: running and waiting
  std::vector<std::int64_t> past_ppm;  // by queue: decayed use / decayed capacity, 0..1,000,000
  std::int64_t k_permille = 1000;      // weight of the past
};

// By queue.
std::vector<std::int64_t> fair_share(const QueueTree& tree, const FairShareInput& input);

}  // namespace headroom::schedule
