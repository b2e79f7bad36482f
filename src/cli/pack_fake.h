// A small cluster's outcome without running anything, for the tests of `pack`.
#pragma once

#include <string>
#include <vector>

#include "cli/pack_grid.h"
#include "cli/pack_summary.h"

namespace headroom::cli {

// Two nodes of four GPUs; lists, placements and seeds as given.
inline Grid fake_grid(std::vector<std::string> lists, std::vector<std::string> placements,
                      std::vector<std::uint64_t> seeds) {
  auto cluster = std::make_shared<model::Cluster>();
  cluster->name = "small";
  cluster->gpu_models = {{.name = "T4"}};
  const model::ShapeId shape =
      cluster->intern_shape({.pool = "T4", .gpu_model = model::GpuModelId{0}, .gpus = 4});
  cluster->nodes = {{"a", shape}, {"b", shape}};
  Grid grid{.cluster = cluster,
            .lists = {},
            .placements = std::move(placements),
            .seeds = std::move(seeds),
            .arrive_permille = 1300};
  for (std::string& name : lists) {
    grid.lists.push_back({std::move(name), std::make_shared<simulate::Workload>()});
  }
  return grid;
}

// Allocates what arrives up to 90 % and then nothing more; better placements have longer names,
// later seeds are better by 0.01 points each.
inline base::Result<simulate::FillUpResult> fake_run(const simulate::FillUp& experiment) {
  simulate::FillUpResult result;
  const double gain = 0.1 * static_cast<double>(experiment.placement.size()) +
                      0.01 * static_cast<double>(experiment.seed);
  const auto last = static_cast<std::size_t>(experiment.arrive_permille / 10);
  for (std::size_t point = 0; point <= last; ++point) {
    const auto arrived = static_cast<double>(point);
    result.curve.at.push_back({.seen = true,
                               .allocated = arrived < 90 ? arrived : 90 + gain,
                               .fragment = 10 - gain,
                               .fragment_rate = 50 - gain});
  }
  result.digest = experiment.seed * 1000 + experiment.placement.size();
  return result;
}

inline PackOutcome fake_outcome(const Grid& grid) {
  return summarise(grid, *run_grid(grid, fake_run, {}), 1.5);
}

}  // namespace headroom::cli
