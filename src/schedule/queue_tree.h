// QueueTree: the queues as the scheduler uses them: dense ids, parents before children, and one
// entry for each pool, in thousandths of its unit (a GPU; a core in a pool without GPUs).
//
// Immutable once it is shared; a change of a queue makes a new tree. That names are unique, parents
// exist and no level promises more than the one above it has been checked when the file was read
// (formats).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "model/queue.h"

namespace headroom::schedule {

using QueueId = base::Id<struct QueueTag>;
using PoolId = base::Id<struct PoolTag>;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

struct QueueNode {
  std::string name;  // full path
  QueueId parent;    // none() at the top
  std::vector<QueueId> children;
  std::vector<std::int64_t> guarantee;  // by pool
  std::vector<std::int64_t> limit;      // by pool; kNoLimit
  std::vector<model::CellGuarantee> cells;
  std::int64_t weight = 1;
  std::int64_t priority = 0;
  base::Duration min_runtime;
  bool cooperative_sharing = false;
  model::UserLimits user_limits;

  bool leaf() const { return children.empty(); }
};

class QueueTree {
 public:
  // `pools`: names, by PoolId. Queues may come in any order.
  QueueTree(const std::vector<model::Queue>& queues, std::vector<std::string> pools);

  // Sets what a queue is guaranteed, in thousandths: where the file says it in other words (cells).
  void promise(QueueId queue, PoolId pool, std::int64_t amount) {
    queues_[queue.index()].guarantee[pool.index()] = amount;
  }

  // As they were given, by name.
  const std::vector<model::Queue>& queues() const { return given_; }

  std::size_t size() const { return queues_.size(); }
  const QueueNode& operator[](QueueId id) const { return queues_[id.index()]; }
  const std::vector<QueueId>& top() const { return top_; }
  const std::vector<std::string>& pools() const { return pools_; }

  QueueId find(std::string_view name) const;  // none() when there is no such queue
  PoolId find_pool(std::string_view name) const;

  // What each queue is promised of a pool that has `capacity` now: the guarantees of the file; when
  // no queue has one in this pool, the top-level queues' shares by weight, in whole units. When the
  // capacity is below the promises (failed nodes), each gets its part of it (largest remainder).
  std::vector<std::int64_t> promises(PoolId pool, std::int64_t capacity) const;

  // Do jobs that cannot be preempted stay within this promise of the queue? Where it has one of its
  // own, and at the top.
  bool binds(QueueId queue, std::int64_t promise) const {
    return promise > 0 || !(*this)[queue].parent.valid();
  }

 private:
  void share_out(const std::vector<QueueId>& siblings, PoolId pool, std::int64_t capacity,
                 std::vector<std::int64_t>& promised) const;

  std::vector<model::Queue> given_;
  std::vector<QueueNode> queues_;  // parents before children, siblings by name
  std::vector<QueueId> top_;
  std::vector<std::string> pools_;
};

}  // namespace headroom::schedule
