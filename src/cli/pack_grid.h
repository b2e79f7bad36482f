// The grid of the packing experiment: every task list x placement x seed is one run, and the runs
// are spread over the cores. A run depends on nothing but its own arguments and its result is
// stored by its place in the grid, so nothing that is printed depends on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parallel.h"
#include "model/cluster.h"
#include "simulate/fill_up.h"

namespace headroom::cli {

struct TaskList {
  std::string name;  // of the file, without folder and extension
  std::shared_ptr<const simulate::Workload> workload;
};

struct Grid {
  std::shared_ptr<const model::Cluster> cluster;
  std::vector<TaskList> lists;
  std::vector<std::string> placements;
  std::vector<std::uint64_t> seeds;
  std::int64_t arrive_permille = 1300;

  std::size_t size() const { return lists.size() * placements.size() * seeds.size(); }
  // Lists are outermost, seeds innermost.
  std::size_t index(std::size_t list, std::size_t placement, std::size_t seed) const {
    return (list * placements.size() + placement) * seeds.size() + seed;
  }
};

using RunOne = std::function<base::Result<simulate::FillUpResult>(const simulate::FillUp&)>;

// Results by Grid::index. Errors: the first (by index) of the runs that failed, with its list,
// placement and seed; "interrupted" when it was stopped before the last run.
base::Result<std::vector<simulate::FillUpResult>> run_grid(const Grid& grid, const RunOne& run,
                                                           const ParallelControl& control);

}  // namespace headroom::cli
