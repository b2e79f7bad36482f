#include "schedule/score_index.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"

namespace headroom::schedule {

ScoreIndex::ScoreIndex(std::size_t size) : feasible_((size + 63) / 64), size_(size) {
  std::size_t groups = (size + kFan - 1) / kFan;
  levels_.emplace_back(std::max<std::size_t>(groups, 1) * kFan, kNoFit);
  while (groups > 1) {
    const std::size_t width = groups;
    groups = (width + kFan - 1) / kFan;
    levels_.emplace_back(groups * kFan, kNoFit);
  }
}

void ScoreIndex::build_levels() {
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    const std::vector<Score>& below = levels_[level - 1];
    for (std::size_t group = 0; group * kFan < below.size(); ++group) {
      const auto first = below.begin() + static_cast<std::ptrdiff_t>(group * kFan);
      levels_[level][group] = *std::max_element(first, first + kFan);
    }
  }
}

void ScoreIndex::set(std::size_t position, Score score) {
  Score old = levels_[0][position];
  if (old == score) return;
  levels_[0][position] = score;
  if ((old == kNoFit) != (score == kNoFit)) {
    feasible_[position / 64] ^= std::uint64_t{1} << (position % 64);
  }
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    position /= kFan;
    Score& group = levels_[level][position];
    const Score group_old = group;
    if (score >= group_old) {
      group = score;
    } else if (old < group_old) {
      return;  // neither the old nor the new score is this group's best
    } else {
      const Score* first = &levels_[level - 1][position * kFan];
      group = *std::max_element(first, first + kFan);
    }
    if (group == group_old) return;
    old = group_old;
    score = group;
  }
}

std::size_t ScoreIndex::best() const {
  std::size_t group = 0;
  for (std::size_t level = levels_.size(); level-- > 0;) {
    const Score* first = &levels_[level][group * kFan];
    const Score* best = std::max_element(first, first + kFan);
    if (*best == kNoFit) return kNone;
    group = group * kFan + static_cast<std::size_t>(best - first);
  }
  return group;
}

std::size_t ScoreIndex::feasible() const {
  std::size_t count = 0;
  for (std::uint64_t word : feasible_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

std::size_t ScoreIndex::nth_feasible(std::size_t n) const {
  for (std::size_t i = 0; i < feasible_.size(); ++i) {
    std::uint64_t word = feasible_[i];
    const auto here = static_cast<std::size_t>(std::popcount(word));
    if (n >= here) {
      n -= here;
      continue;
    }
    for (; n > 0; --n) word &= word - 1;
    return i * 64 + static_cast<std::size_t>(std::countr_zero(word));
  }
  HEADROOM_ASSERT(false);
}

std::size_t ScoreIndex::bytes() const {
  std::size_t total = feasible_.size() * sizeof(std::uint64_t);
  for (const auto& level : levels_) total += level.size() * sizeof(Score);
  return total;
}

}  // namespace headroom::schedule
