// Queue: one node of the tree organisation -> team -> project, as its owner describes it. The tree
// is in the names: research/vision is a child of research, so a cycle cannot be written.
//
// A guarantee or limit counts GPUs of a pool, or cores (kCpuPool). A guarantee may also be in
// cells: whole domains of a level in a pool with GPUs, which stay whole however fragmented the rest
// is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "model/fabric.h"

namespace headroom::model {

// Of "research/vision": "research"; of a queue at the top: empty.
constexpr std::string_view parent_name(std::string_view queue) {
  const std::size_t slash = queue.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : queue.substr(0, slash);
}

// What jobs without GPUs are counted in: the cores of all nodes, whatever pool they are in.
constexpr std::string_view kCpuPool = "cpu";

// So many GPUs of a pool, or cores: kCpuPool.
struct PoolAmount {
  std::string pool;
  std::int64_t amount = 0;
  friend bool operator==(const PoolAmount&, const PoolAmount&) = default;
};

// So many whole domains of a level in a pool.
struct CellGuarantee {
  std::string pool;  // empty: the only pool with GPUs
  Level level = Level::kNode;
  std::int64_t count = 0;
  friend bool operator==(const CellGuarantee&, const CellGuarantee&) = default;
};

// What one user may have in the queue at a time; -1: no limit.
struct UserLimits {
  std::int64_t gpus = -1;
  std::int64_t running = -1;
  std::int64_t waiting = -1;
  friend bool operator==(const UserLimits&, const UserLimits&) = default;
};

struct Queue {
  std::string name;                   // full path: "research/vision"
  std::vector<PoolAmount> guarantee;  // sorted by pool
  std::vector<CellGuarantee> cells;   // sorted by pool, level
  std::vector<PoolAmount> limit;      // sorted by pool; a pool not named is not limited
  std::int64_t weight = 1;            // of what is left beyond guarantees
  std::int64_t priority = 0;          // surplus goes to higher priority first
  base::Duration min_runtime;         // a borrower keeps its resources at least this long
  bool cooperative_sharing = false;   // shares of a GPU may run without isolation
  UserLimits user_limits;

  friend bool operator==(const Queue&, const Queue&) = default;
};

}  // namespace headroom::model
