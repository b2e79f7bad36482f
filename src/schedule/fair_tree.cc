#include "schedule/fair_tree.h"

#include <algorithm>
#include <cstddef>

namespace headroom::schedule {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kWhole = 1'000'000'000'000;
constexpr std::int64_t kMillion = 1'000'000;

// A share divided by a usage, both as parts of those of all siblings. 1 / 0: no use so far.
struct LevelFairShare {
  std::int64_t share = 0;
  std::int64_t usage = 0;

  friend bool operator>(const LevelFairShare& a, const LevelFairShare& b) {
    return Wide{a.share} * b.usage > Wide{b.share} * a.usage;
  }
};

class Ranking {
 public:
  explicit Ranking(const std::vector<Association>& associations)
      : all_(associations),
        level_(all_.size()),
        children_(all_.size() + 1),
        factor_(all_.size(), 0) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      children_of(all_[i].account).push_back(i);
      if (all_[i].user) ++users_;
    }
    for (const std::vector<std::size_t>& siblings : children_) set_levels(siblings);
  }

  std::vector<std::int64_t> run() {
    rank_ = untied_ = users_;
    visit(children_.back(), false);
    return std::move(factor_);
  }

 private:
  std::vector<std::size_t>& children_of(std::int32_t account) {
    return account < 0 ? children_.back() : children_[static_cast<std::size_t>(account)];
  }

  void set_levels(const std::vector<std::size_t>& siblings) {
    Wide shares = 0;
    Wide usage = 0;
    for (const std::size_t i : siblings) {
      shares += all_[i].shares;
      usage += all_[i].usage;
    }
    for (const std::size_t i : siblings) {
      const auto part = [](std::int64_t value, Wide of) {
        return of == 0 ? 0 : static_cast<std::int64_t>(Wide{value} * kWhole / of);
      };
      level_[i] = {part(all_[i].shares, shares), part(all_[i].usage, usage)};
      if (all_[i].shares == 0) level_[i] = {0, kWhole};  // the least, used or not
    }
  }

  bool tie(std::size_t a, std::size_t b) const {
    return !(level_[a] > level_[b]) && !(level_[b] > level_[a]);
  }

  // `tied`: the first of them with a user before them.
  void visit(std::vector<std::size_t> siblings, bool tied) {
    std::stable_sort(siblings.begin(), siblings.end(), [&](std::size_t a, std::size_t b) {
      if (level_[a] > level_[b]) return true;
      return tie(a, b) && all_[a].user && !all_[b].user;
    });
    for (std::size_t i = 0; i < siblings.size(); ++i) {
      if (i > 0) tied = tie(siblings[i - 1], siblings[i]);
      if (all_[siblings[i]].user) {
        if (!tied) rank_ = untied_;
        factor_[siblings[i]] = rank_ * kMillion / users_;
        --untied_;
        continue;
      }
      std::vector<std::size_t> below = children_[siblings[i]];
      while (i + 1 < siblings.size() && tie(siblings[i], siblings[i + 1])) {
        ++i;
        below.insert(below.end(), children_[siblings[i]].begin(), children_[siblings[i]].end());
      }
      visit(std::move(below), tied);
    }
  }

  const std::vector<Association>& all_;
  std::vector<LevelFairShare> level_;
  std::vector<std::vector<std::size_t>> children_;  // the last: those at the top
  std::vector<std::int64_t> factor_;
  std::int64_t users_ = 0;
  std::int64_t rank_ = 0;
  std::int64_t untied_ = 0;  // what the rank would be if nobody had tied
};

}  // namespace

std::vector<std::int64_t> fair_tree_factors(const std::vector<Association>& associations) {
  return Ranking(associations).run();
}

}  // namespace headroom::schedule
