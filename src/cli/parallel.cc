#include "cli/parallel.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace headroom::cli {

namespace {

constexpr std::chrono::milliseconds kTick{100};

}  // namespace

base::Result<void> run_parallel(std::size_t count,
                                const std::function<base::Result<void>(std::size_t)>& work,
                                const ParallelControl& control) {
  std::vector<std::optional<base::Result<void>>> results(count);
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::condition_variable finished;
  const int threads =
      std::clamp(control.threads, 1, static_cast<int>(std::clamp<std::size_t>(count, 1, 1024)));
  int working = threads;  // guarded by mutex
  const auto run = [&] {
    while (!failed && !(control.stop && *control.stop)) {
      const std::size_t at = next.fetch_add(1);
      if (at >= count) break;
      results[at] = work(at);
      if (!*results[at]) failed = true;
      done.fetch_add(1);
    }
    const std::lock_guard lock(mutex);
    if (--working == 0) finished.notify_all();
  };
  {
    std::vector<std::jthread> pool;
    for (int i = 0; i < threads; ++i) pool.emplace_back(run);
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, kTick, [&] { return working == 0; })) {
      if (control.on_progress) control.on_progress(done);
    }
  }
  // Work is begun in order, so what failed comes before what is missing because of it.
  for (const auto& one : results) {
    if (!one) return base::fail("interrupted");
    if (!*one) return *one;
  }
  return {};
}

int thread_count(std::int64_t asked) {
  const auto cores = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  return static_cast<int>(std::clamp<std::int64_t>(asked > 0 ? asked : cores, 1, 1024));
}

}  // namespace headroom::cli
