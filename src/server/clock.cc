#include "server/clock.h"

#include <algorithm>
#include <chrono>

namespace headroom::server {

namespace {

constexpr base::Duration kTolerated{1'000};  // between the clocks

template <class Source>
std::int64_t milliseconds() {
  const auto time = Source::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

}  // namespace

base::Time SystemClock::wall() const {
  return base::Time{milliseconds<std::chrono::system_clock>()};
}

base::Duration SystemClock::monotonic() const {
  return base::Duration{milliseconds<std::chrono::steady_clock>()};
}

Timeline::Timeline(const Clock& clock, base::Time last)
    : clock_(clock), now_(std::max(last, clock.wall())), seen_(clock.monotonic()) {}

base::Time Timeline::now() {
  const base::Duration monotonic = clock_.monotonic();
  const base::Duration passed = monotonic - seen_;
  if (passed <= base::Duration{0}) return now_;
  seen_ = monotonic;
  const base::Duration ahead = base::between(clock_.wall(), now_ + passed);
  base::Duration step = passed;
  if (ahead > kTolerated || ahead < base::Duration{0} - kTolerated) {
    tenths_ms_ += passed.value();
    const base::Duration more{tenths_ms_ / 10};
    tenths_ms_ %= 10;
    step = ahead > kTolerated ? step - more : step + more;
  }
  now_ = now_ + step;
  return now_;
}

}  // namespace headroom::server
