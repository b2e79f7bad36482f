#include "schedule/score_index.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace headroom::schedule {
namespace {

TEST(ScoreIndex, EmptyIndexHasNoBest) {
  EXPECT_EQ(ScoreIndex(0).best(), ScoreIndex::kNone);
  EXPECT_EQ(ScoreIndex(40).best(), ScoreIndex::kNone);
  EXPECT_EQ(ScoreIndex(40).feasible(), 0u);
}

TEST(ScoreIndex, TiesGoToTheFirstPosition) {
  ScoreIndex index(300);
  index.set(299, 5);
  index.set(17, 5);
  index.set(18, 4);
  EXPECT_EQ(index.best(), 17u);
}

// After any sequence of changes, best and feasible are those of a plain scan.
TEST(ScoreIndex, AgreesWithAScan) {
  base::Rng rng(7);
  for (const std::size_t size : {1u, 15u, 16u, 17u, 256u, 257u, 5000u}) {
    ScoreIndex index(size);
    std::vector<Score> plain(size, kNoFit);
    for (int i = 0; i < 3000; ++i) {
      const std::size_t at = rng.below(size);
      plain[at] = rng.chance(1, 3) ? kNoFit : static_cast<Score>(rng.between(-3, 3));
      index.set(at, plain[at]);
      const auto best = std::max_element(plain.begin(), plain.end());
      const auto expected =
          *best == kNoFit ? ScoreIndex::kNone : static_cast<std::size_t>(best - plain.begin());
      ASSERT_EQ(index.best(), expected) << "size " << size << " change " << i;
    }
    std::vector<std::size_t> feasible;
    for (std::size_t at = 0; at < size; ++at) {
      if (plain[at] != kNoFit) feasible.push_back(at);
    }
    ASSERT_EQ(index.feasible(), feasible.size());
    for (std::size_t n = 0; n < feasible.size(); ++n) ASSERT_EQ(index.nth_feasible(n), feasible[n]);
  }
}

TEST(ScoreIndex, BuiltAtOnceIsTheSameAsSetOneByOne) {
  base::Rng rng(11);
  for (const std::size_t size : {1u, 16u, 257u, 5000u}) {
    std::vector<Score> scores(size);
    for (Score& one : scores)
      one = rng.chance(1, 3) ? kNoFit : static_cast<Score>(rng.between(0, 9));
    ScoreIndex one_by_one(size);
    ScoreIndex at_once(size);
    at_once.set(size - 1, 99);  // what was there before does not matter
    for (std::size_t i = 0; i < size; ++i) one_by_one.set(i, scores[i]);
    at_once.build([&](std::size_t i) { return scores[i]; });
    EXPECT_EQ(at_once.best(), one_by_one.best());
    EXPECT_EQ(at_once.feasible(), one_by_one.feasible());
    if (at_once.best() == ScoreIndex::kNone) continue;
    at_once.set(at_once.best(), kNoFit);
    one_by_one.set(one_by_one.best(), kNoFit);
    EXPECT_EQ(at_once.best(), one_by_one.best());
  }
}

}  // namespace
}  // namespace headroom::schedule
