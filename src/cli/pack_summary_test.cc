#include "cli/pack_summary.h"

#include "cli/pack_fake.h"

namespace headroom::cli {
namespace {

TEST(PackSummary, SeedsAreShownAsRanges) {
  EXPECT_EQ(seeds_text({42, 43, 44, 45}), "42-45");
  EXPECT_EQ(seeds_text({1, 3, 7, 8, 9}), "1,3,7-9");
  EXPECT_EQ(seeds_text({5}), "5");
}

// best_fit: 90.82, fgd: 90.32; half a point of 8 GPUs is nothing, of 8,000 it is 40.
TEST(PackSummary, HeadlineSaysWhatTheBestIsWorth) {
  PackOutcome outcome = fake_outcome(fake_grid({"x"}, {"fgd", "best_fit"}, {1, 3}));
  outcome.gpus = 8000;
  EXPECT_EQ(headline(outcome),
            "best_fit wastes least: it allocates 90.82 % of the 8,000 GPUs, 40 GPUs more than "
            "fgd.");
}

TEST(PackSummary, HeadlineComparesWithBestFitWhenItIsThere) {
  PackOutcome outcome =
      fake_outcome(fake_grid({"x", "y"}, {"best_fit", "dot_product", "headroom_learned"}, {1, 2}));
  outcome.gpus = 8000;
  EXPECT_EQ(headline(outcome),
            "headroom_learned wastes least on all 2 lists: it allocates on average 91.62 % of the "
            "8,000 GPUs, 64 GPUs more than best_fit.");
}

TEST(PackSummary, HeadlineNamesAllThatAreEquallyGood) {
  PackOutcome outcome =
      fake_outcome(fake_grid({"x"}, {"fgd", "random", "spread", "packing"}, {1, 3}));
  outcome.gpus = 8000;
  EXPECT_EQ(headline(outcome),
            "packing wastes least: it allocates 90.72 % of the 8,000 GPUs, 8 GPUs more than "
            "random.");
  outcome = fake_outcome(fake_grid({"x"}, {"random", "fgd", "spread"}, {1, 3}));
  outcome.gpus = 8000;
  EXPECT_EQ(headline(outcome),
            "random and spread waste least: they allocate 90.62 % of the 8,000 GPUs, 24 GPUs more "
            "than fgd.");
  outcome = fake_outcome(fake_grid({"x"}, {"random", "spread"}, {1, 3}));
  EXPECT_EQ(headline(outcome),
            "random and spread waste least: they allocate 90.62 % of the 8 GPUs.");
}

TEST(PackSummary, HeadlineOfOnePlacement) {
  EXPECT_EQ(headline(fake_outcome(fake_grid({"x"}, {"fgd"}, {1}))),
            "fgd allocates 90.31 % of the 8 GPUs.");
}

TEST(PackSummary, ComparesAtTheHighestPointReachedUpToAHundred) {
  Grid grid = fake_grid({"x"}, {"fgd"}, {1});
  EXPECT_EQ(fake_outcome(grid).main_point(), 100);
  grid.arrive_permille = 720;
  EXPECT_EQ(fake_outcome(grid).main_point(), 72);
}

}  // namespace
}  // namespace headroom::cli
