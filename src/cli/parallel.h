// run_parallel: independent pieces of work spread over the cores. Each writes only what is its own,
// so that nothing depends on the number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/result.h"

namespace headroom::cli {

struct ParallelControl {
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;            // set: nothing further is begun
  std::function<void(std::size_t done)> on_progress;  // in the calling thread, about every 100 ms
};

// Does work(0) … work(count - 1), begun in this order. Errors: the first by number of those that
// failed, after which nothing further is begun; "interrupted" when it was stopped before the last.
base::Result<void> run_parallel(std::size_t count,
                                const std::function<base::Result<void>(std::size_t)>& work,
                                const ParallelControl& control);

// Threads for --threads N: N, or one a core for 0.
int thread_count(std::int64_t asked);

}  // namespace headroom::cli
