// ScoreIndex: the scores of one request on every node, in tie-break order, as a tree of maxima, so
// that the best node is found without looking at all of them.
//
//   build  O(size)
//   set    O(1) mostly; O(levels) when the best of a group falls
//   best   O(levels): 16 entries a level, 4 levels for 65,536 nodes
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/placement.h"

namespace headroom::schedule {

class ScoreIndex {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  explicit ScoreIndex(std::size_t size);

  void set(std::size_t position, Score score);

  // Sets every position to score_of(position). O(size).
  template <class ScoreOf>
  void build(ScoreOf score_of) {
    for (std::size_t position = 0; position < size_; ++position) {
      const Score score = score_of(position);
      levels_[0][position] = score;
      const std::uint64_t bit = std::uint64_t{1} << (position % 64);
      std::uint64_t& word = feasible_[position / 64];
      word = score == kNoFit ? word & ~bit : word | bit;
    }
    build_levels();
  }
  // Tells the processor that the position will be set soon. Changes nothing.
  void prefetch(std::size_t position) const { __builtin_prefetch(&levels_[0][position], 1); }

  Score at(std::size_t position) const { return levels_[0][position]; }

  // First position of the highest score; kNone when every score is kNoFit.
  std::size_t best() const;

  // Number of positions that are not kNoFit, and the n-th of them (0-based). O(size / 64).
  std::size_t feasible() const;
  std::size_t nth_feasible(std::size_t n) const;

  std::size_t bytes() const;

 private:
  static constexpr std::size_t kFan = 16;

  void build_levels();

  std::vector<std::vector<Score>> levels_;  // [0] the scores, last one group
  std::vector<std::uint64_t> feasible_;     // bit p: position p is not kNoFit
  std::size_t size_;
};

}  // namespace headroom::schedule
