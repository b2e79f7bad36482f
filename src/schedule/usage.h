// Usage: how much a queue used of a pool in the past, older use counting less: it halves every
// `half_life`. Whole numbers only, so that digests agree on every machine.
//
// Unit: thousandths of the pool's unit x milliseconds. A sum stays below held x half-life x 1.45,
// so 100,000 GPUs and 30 days fit.
#pragma once

#include <cstdint>
#include <utility>

#include "base/quantity.h"

namespace headroom::schedule {

// value x 2^(-elapsed / half_life), rounded down; value and elapsed >= 0, half_life > 0.
// 2^-x inside a half-life is linear between 1,024 steps of a table: error below 10^-7.
std::int64_t decayed(std::int64_t value, base::Duration elapsed, base::Duration half_life);

// What holding `held` for `elapsed` amounts to at the end of that time, its older part decayed:
// held x (1 - 2^(-elapsed / half_life)) x half_life / ln 2.
std::int64_t decayed_integral(std::int64_t held, base::Duration elapsed, base::Duration half_life);

class Usage {
 public:
  Usage() = default;
  Usage(base::Time as_of, std::int64_t used) : as_of_(as_of), used_(used) {}

  // What the constructor takes.
  std::pair<base::Time, std::int64_t> raw() const { return {as_of_, used_}; }

  // At `now`, if `held` was held since the last update.
  std::int64_t at(base::Time now, std::int64_t held, base::Duration half_life) const {
    const base::Duration elapsed = base::between(as_of_, now);
    return decayed(used_, elapsed, half_life) + decayed_integral(held, elapsed, half_life);
  }

  // To be called before what is held changes.
  void update(base::Time now, std::int64_t held, base::Duration half_life) {
    used_ = at(now, held, half_life);
    as_of_ = now;
  }

 private:
  base::Time as_of_;
  std::int64_t used_ = 0;
};

}  // namespace headroom::schedule
