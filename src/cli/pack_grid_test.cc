#include "cli/pack_grid.h"

#include <mutex>
#include <set>
#include <thread>

#include "cli/pack_fake.h"

namespace headroom::cli {
namespace {

TEST(PackGrid, ResultsAreStoredByTheirPlaceInTheGrid) {
  const Grid grid = fake_grid({"x", "y"}, {"fgd", "best_fit"}, {1, 2, 3});
  const auto runs = run_grid(grid, fake_run, {});
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 12u);
  EXPECT_EQ((*runs)[grid.index(1, 1, 2)].digest, 3008u);
  EXPECT_EQ((*runs)[grid.index(0, 0, 1)].digest, 2003u);
}

TEST(PackGrid, EveryRunIsDoneOnceWhateverTheNumberOfThreads) {
  const Grid grid = fake_grid({"x", "y"}, {"fgd", "best_fit"}, {1, 2, 3, 4, 5, 6, 7});
  for (int threads : {1, 2, 7, 100}) {
    std::mutex mutex;
    std::multiset<std::string> seen;
    const auto run = [&](const simulate::FillUp& one) {
      const std::lock_guard lock(mutex);
      seen.insert(one.placement + std::to_string(one.seed));
      return fake_run(one);
    };
    ASSERT_TRUE(run_grid(grid, run, {.threads = threads}));
    EXPECT_EQ(seen.size(), grid.size());
    EXPECT_EQ(seen.count("fgd4"), 2u);
  }
}

TEST(PackGrid, NamesTheFirstRunThatFailed) {
  const Grid grid = fake_grid({"x", "y"}, {"fgd", "best_fit"}, {1, 2, 3});
  const auto run = [](const simulate::FillUp& one) -> base::Result<simulate::FillUpResult> {
    if (one.placement == "best_fit" && one.seed > 1) return base::fail("no memory");
    return fake_run(one);
  };
  for (int threads : {1, 4}) {
    const auto runs = run_grid(grid, run, {.threads = threads});
    ASSERT_FALSE(runs);
    EXPECT_EQ(runs.error().message, "x, best_fit, seed 2: no memory");
  }
}

TEST(PackGrid, StopsWhenAsked) {
  const Grid grid = fake_grid({"x"}, {"fgd"}, {1, 2, 3, 4});
  std::atomic<bool> stop{false};
  std::atomic<int> runs{0};
  const auto run = [&](const simulate::FillUp& one) {
    if (++runs == 2) stop = true;
    return fake_run(one);
  };
  const auto result = run_grid(grid, run, {.threads = 1, .stop = &stop});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "interrupted");
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace headroom::cli
