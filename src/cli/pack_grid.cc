#include "cli/pack_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace headroom::cli {

namespace {

constexpr std::chrono::milliseconds kTick{100};

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

// What the threads share. Each run writes only its own slot of `results`.
struct Shared {
  std::vector<std::optional<base::Result<simulate::FillUpResult>>> results;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::condition_variable finished;
  int working = 0;  // guarded by mutex
};

void work(const Grid& grid, const RunOne& run, const GridControl& control, Shared& shared) {
  const auto stopped = [&] { return shared.failed || (control.stop && *control.stop); };
  while (!stopped()) {
    const std::size_t index = shared.next.fetch_add(1);
    if (index >= grid.size()) break;
    auto result = run(experiment_at(grid, index));
    if (!result) shared.failed = true;
    shared.results[index] = std::move(result);
    shared.done.fetch_add(1);
  }
  const std::lock_guard lock(shared.mutex);
  if (--shared.working == 0) shared.finished.notify_all();
}

}  // namespace

base::Result<std::vector<simulate::FillUpResult>> run_grid(const Grid& grid, const RunOne& run,
                                                           const GridControl& control) {
  Shared shared;
  shared.results.resize(grid.size());
  const int threads =
      std::clamp(control.threads, 1, static_cast<int>(std::max<std::size_t>(grid.size(), 1)));
  shared.working = threads;
  {
    std::vector<std::jthread> pool;
    for (int i = 0; i < threads; ++i) {
      pool.emplace_back([&] { work(grid, run, control, shared); });
    }
    std::unique_lock lock(shared.mutex);
    while (!shared.finished.wait_for(lock, kTick, [&] { return shared.working == 0; })) {
      if (control.on_progress) control.on_progress(shared.done);
    }
  }
  std::vector<simulate::FillUpResult> results;
  results.reserve(grid.size());
  for (std::size_t index = 0; index < grid.size(); ++index) {
    const auto& result = shared.results[index];
    // Runs are started in the order of their index, so a failed one comes before any that is
    // missing because of it.
    if (!result) return base::fail("interrupted");
    if (!*result) return base::fail(where(grid, index) + ": " + result->error().message);
    results.push_back(**result);
  }
  return results;
}

}  // namespace headroom::cli
