// Copy, undo and digest of the state at 10,000 nodes of 8 GPUs with 100,000 tasks on them.
#include <benchmark/benchmark.h>

#include "steady_cluster.h"

namespace headroom::bench {

namespace {

constexpr std::size_t kNodes = 10'000;
constexpr std::size_t kTasks = 100'000;

// Filled by best fit, then topped up with tiny CPU tasks to a round number of tasks.
const schedule::ClusterState& full_state() {
  static const std::unique_ptr<SteadyCluster> steady = [] {
    auto made = std::make_unique<SteadyCluster>(kNodes, "best_fit");
    schedule::ClusterState& state = made->state();
    const schedule::RequestId tiny = state.intern({});
    for (std::size_t i = 0; state.allocation_count() < kTasks; ++i) {
      state.place(static_cast<schedule::TaskId>(1'000'000 + i), tiny, model::NodeId{i % kNodes},
                  {});
    }
    return made;
  }();
  return steady->state();
}

void copy(benchmark::State& run) {
  const schedule::ClusterState& state = full_state();
  for (auto _ : run) {
    schedule::ClusterState other = state;
    benchmark::DoNotOptimize(&other);
  }
  run.counters["MiB"] = static_cast<double>(state.bytes()) / (1 << 20);
  run.counters["tasks"] = static_cast<double>(state.allocation_count());
}

void digest(benchmark::State& run) {
  const schedule::ClusterState& state = full_state();
  for (auto _ : run) benchmark::DoNotOptimize(state.digest());
}

// Releases and undoes `range(0)` allocations: the time is per change.
void undo(benchmark::State& run) {
  schedule::ClusterState state = full_state();
  for (auto _ : run) {
    const schedule::ClusterState::Mark mark = state.mark();
    for (std::int64_t i = 0; i < run.range(0); ++i) {
      state.release(schedule::AllocationId{static_cast<std::size_t>(i)});
    }
    state.undo(mark);
  }
  run.SetItemsProcessed(run.iterations() * run.range(0));
}

BENCHMARK(copy)->Unit(benchmark::kMillisecond);
BENCHMARK(digest)->Unit(benchmark::kMillisecond);
BENCHMARK(undo)->Arg(1)->Arg(100)->Arg(10'000);

}  // namespace

}  // namespace headroom::bench

BENCHMARK_MAIN();
