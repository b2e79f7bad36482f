// Never: which jobs no state of the cluster could run, why, and what the nearest is that could.
//
// A job is tried on the empty cluster with every node healthy, at its gang minimum. Jobs that ask
// for the same share one answer.
//
// A node that failed or is drained comes back, so a job waits for it. A node that was removed does
// not: what only it could run is rejected then, also if a node like it might be added one day.
//
//   look   O(nodes log nodes), once for each distinct wish; O(depth of the queues) afterwards
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/decision.h"
#include "schedule/cells.h"
#include "schedule/cluster_state.h"
#include "schedule/placement.h"
#include "schedule/state.h"

namespace headroom::schedule {

class Never {
 public:
  // Nothing: some state of the cluster could run the job.
  std::optional<model::RejectJob> look(const State& state, const Placement& placement,
                                       const JobSpec& spec);

  // The cluster changed: what was found no longer holds.
  void forget();

 private:
  std::int64_t most_tasks(const State& state, const Placement& placement, const JobSpec& spec,
                          PoolId pool, bool with_topology);
  // The same of a job that cannot be preempted: without the cells of other queues.
  std::int64_t most_beside_cells(const State& state, const Placement& placement,
                                 const JobSpec& spec, const PoolOption& option);
  const ClusterState& empty(const State& state);
  // By queue, with every node healthy.
  const std::vector<std::int64_t>& promises(const State& state, PoolId pool);
  model::RejectJob why(const State& state, const Placement& placement, const JobSpec& spec);

  std::vector<std::vector<std::int64_t>> promises_;          // by pool; empty: not asked for yet
  std::optional<ClusterState> empty_;                        // nothing runs, every node healthy
  boost::unordered_flat_map<std::uint64_t, bool> can_ever_;  // look-ups only
  std::optional<Cells> cells_;                               // of the empty cluster
  boost::unordered_flat_map<std::uint64_t, std::int64_t> beside_cells_;  // look-ups only
};

}  // namespace headroom::schedule
