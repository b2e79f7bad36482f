// Week: the rhythm in which people submit work, hour by hour from a Monday, 00:00 UTC.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"
#include "base/rng.h"

namespace headroom::simulate {

constexpr base::Duration kHour{3'600'000};
constexpr base::Time kMonday{1'767'571'200'000};  // 2026-01-05T00:00Z

class Week {
 public:
  explicit Week(std::int64_t days);

  // When somebody submits: often in working hours, seldom at night and at the weekend.
  base::Time submission(base::Rng& rng) const;

  std::int64_t hours() const { return static_cast<std::int64_t>(until_.size()); }

  // How much of its peak a service needs in this hour, in thousandths.
  static std::int64_t service_need(std::int64_t hour);

 private:
  std::vector<std::int64_t> until_;  // sums of the weights of the hours
};

}  // namespace headroom::simulate
