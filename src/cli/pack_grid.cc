#include "cli/pack_grid.h"

#include <fmt/format.h>

namespace headroom::cli {

namespace {

simulate::FillUp experiment_at(const Grid& grid, std::size_t index) {
  const std::size_t seeds = grid.seeds.size();
  const std::size_t placements = grid.placements.size();
  return {.cluster = grid.cluster,
          .workload = grid.lists[index / seeds / placements].workload,
          .placement = grid.placements[index / seeds % placements],
          .seed = grid.seeds[index % seeds],
          .arrive_permille = grid.arrive_permille};
}

std::string where(const Grid& grid, std::size_t index) {
  const simulate::FillUp experiment = experiment_at(grid, index);
  const std::size_t list = index / grid.seeds.size() / grid.placements.size();
  return fmt::format("{}, {}, seed {}", grid.lists[list].name, experiment.placement,
                     experiment.seed);
}

}  // namespace

base::Result<std::vector<simulate::FillUpResult>> run_grid(const Grid& grid, const RunOne& run,
                                                           const ParallelControl& control) {
  std::vector<simulate::FillUpResult> results(grid.size());
  const auto work = [&](std::size_t index) -> base::Result<void> {
    auto result = run(experiment_at(grid, index));
    if (!result) return base::fail(where(grid, index) + ": " + result.error().message);
    results[index] = std::move(*result);
    return {};
  };
  if (auto done = run_parallel(grid.size(), work, control); !done) {
    return tl::unexpected(done.error());
  }
  return results;
}

}  // namespace headroom::cli
