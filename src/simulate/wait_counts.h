// WaitCounts: how many jobs waited at most so long, at fixed times: twelfths of decades, for a
// logarithmic axis, and those that people think in (1 min, 10 min, 1 h, 6 h, 1 day, 7 days). The
// counts of several runs add up.
#pragma once

#include <array>
#include <cstdint>

#include "simulate/replay.h"

namespace headroom::simulate {

constexpr std::size_t kWaitTimes = 97 + 6;  // 1 s to 10^8 s

struct WaitCounts {
  std::int64_t jobs = 0;  // that ran to their end
  std::array<std::int64_t, kWaitTimes> at_most{};
};

const std::array<base::Duration, kWaitTimes>& wait_times();

WaitCounts count_waits(const ReplayResult& result);
WaitCounts operator+(const WaitCounts& a, const WaitCounts& b);

}  // namespace headroom::simulate
