#include "simulate/wait_counts.h"

#include <algorithm>

#include "simulate/summary.h"

namespace headroom::simulate {

namespace {

constexpr std::size_t kInDecade = 12;
// 10^(i/12), in thousandths: times in milliseconds from one second on.
constexpr std::array<std::int64_t, kInDecade> kSteps = {1000, 1212, 1468, 1778, 2154, 2610,
                                                        3162, 3831, 4642, 5623, 6813, 8254};

constexpr std::array<std::int64_t, 6> kPlain = {60,     600,    3'600,
                                                21'600, 86'400, 604'800};  // seconds

constexpr std::array<base::Duration, kWaitTimes> make_times() {
  std::array<base::Duration, kWaitTimes> times{};
  std::int64_t decade = 1;
  for (std::size_t i = 0; i < kWaitTimes - kPlain.size(); ++i) {
    if (i > 0 && i % kInDecade == 0) decade *= 10;
    times[i] = base::Duration{kSteps[i % kInDecade] * decade};
  }
  for (std::size_t i = 0; i < kPlain.size(); ++i) {
    times[kWaitTimes - 1 - i] = base::Duration{kPlain[i] * 1000};
  }
  std::sort(times.begin(), times.end());
  return times;
}

constexpr std::array<base::Duration, kWaitTimes> kTimes = make_times();

}  // namespace

const std::array<base::Duration, kWaitTimes>& wait_times() { return kTimes; }

WaitCounts count_waits(const ReplayResult& result) {
  WaitCounts counts;
  for (const JobRun& run : result.jobs) {
    if (!ran_to_its_end(run)) continue;
    ++counts.jobs;
    const base::Duration wait = base::between(run.submitted, run.first_start);
    const auto at = std::lower_bound(kTimes.begin(), kTimes.end(), wait) - kTimes.begin();
    if (at < static_cast<std::ptrdiff_t>(kWaitTimes)) {
      ++counts.at_most[static_cast<std::size_t>(at)];
    }
  }
  for (std::size_t i = 1; i < kWaitTimes; ++i) counts.at_most[i] += counts.at_most[i - 1];
  return counts;
}

WaitCounts operator+(const WaitCounts& a, const WaitCounts& b) {
  WaitCounts sum{.jobs = a.jobs + b.jobs};
  for (std::size_t i = 0; i < kWaitTimes; ++i) sum.at_most[i] = a.at_most[i] + b.at_most[i];
  return sum;
}

}  // namespace headroom::simulate
