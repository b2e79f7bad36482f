// The runs of `headroom simulate`, side by side.
#include <fmt/format.h>

#include <atomic>

#include "cli/simulate.h"
#include "cli/simulate_tables.h"

namespace headroom::cli {

namespace {

std::size_t runs_of_a_variation(const Simulation& simulation) {
  return simulation.placements.size() * simulation.policies.size() * simulation.seeds.size();
}

// Variation by variation: its runs, which are longer, then each tenant alone. Who does the last
// piece of a variation works out the fairness of its runs.
class Runs {
 public:
  explicit Runs(const Simulation& simulation)
      : simulation_(simulation),
        tenants_(simulate::tenants_of(simulation.jobs())),
        in_each_(runs_of_a_variation(simulation)),
        runs_(simulation.size()),
        alone_(simulation.variations.size(), std::vector<simulate::AloneTimes>(tenants_.size())),
        left_(simulation.variations.size()) {
    for (auto& left : left_) left = in_each_ + tenants_.size();
  }

  base::Result<void> work(std::size_t number) {
    const std::size_t variation = number / (in_each_ + tenants_.size());
    const std::size_t piece = number % (in_each_ + tenants_.size());
    const auto done = piece < in_each_ ? replay(variation * in_each_ + piece)
                                       : replay_alone(variation, piece - in_each_);
    if (done && --left_[variation] == 0) finish(variation);
    return done;
  }

  std::vector<SimulateRun> take() { return std::move(runs_); }

 private:
  base::Result<void> replay(std::size_t index) {
    SimulateRun& run = runs_[index];
    const simulate::ReplayInput input = input_of(simulation_, index);
    run.variation = &simulation_.variations[index / in_each_];
    run.placement = input.placement;
    run.policy = input.policy;
    run.seed = input.seed;
    auto result = simulate::replay(input);
    if (!result) return base::fail(name_of(run) + ": " + result.error().message);
    run.result = std::move(*result);
    run.summary = simulate::summarise(input, run.result);
    run.queues = simulate::summarise_queues(input, run.result);
    run.waits = simulate::count_waits(run.result);
    if (simulation_.predictions) {
      run.predictions = simulate::judge_predictions(*input.jobs, run.result);
    }
    return {};
  }

  base::Result<void> replay_alone(std::size_t variation, std::size_t tenant) {
    auto times = simulate::alone_times(simulation_.variations[variation].input, tenants_[tenant],
                                       tenants_.size());
    if (!times) return tl::unexpected(times.error());
    alone_[variation][tenant] = std::move(*times);
    return {};
  }

  void finish(std::size_t variation) {
    for (std::size_t i = variation * in_each_; i < (variation + 1) * in_each_; ++i) {
      runs_[i].fairness = simulate::fairness(runs_[i].result, tenants_, alone_[variation]);
      if (!simulation_.keeps_result(i)) runs_[i].result = {};
    }
  }

  const Simulation& simulation_;
  std::vector<simulate::Tenant> tenants_;
  std::size_t in_each_;  // runs of a variation
  std::vector<SimulateRun> runs_;
  std::vector<std::vector<simulate::AloneTimes>> alone_;  // by variation and tenant
  std::vector<std::atomic<std::size_t>> left_;            // by variation: pieces to do
};

}  // namespace

simulate::ReplayInput input_of(const Simulation& simulation, std::size_t index) {
  const std::size_t seeds = simulation.seeds.size();
  const std::size_t policies = simulation.policies.size();
  const std::size_t placements = simulation.placements.size();
  simulate::ReplayInput input = simulation.variations[index / seeds / policies / placements].input;
  input.placement = simulation.placements[index / seeds / policies % placements];
  input.policy = simulation.policies[index / seeds % policies];
  input.seed = simulation.seeds[index % seeds];
  return input;
}

std::size_t work_of(const Simulation& simulation) {
  return simulation.size() +
         simulation.variations.size() * simulate::tenants_of(simulation.jobs()).size();
}

base::Result<std::vector<SimulateRun>> run_simulation(const Simulation& simulation,
                                                      const ParallelControl& control) {
  Runs runs(simulation);
  const auto work = [&](std::size_t number) { return runs.work(number); };
  if (auto done = run_parallel(work_of(simulation), work, control); !done) {
    return tl::unexpected(done.error());
  }
  return runs.take();
}

}  // namespace headroom::cli
