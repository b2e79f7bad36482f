#include "simulate/timeline.h"

#include <algorithm>

namespace headroom::simulate {

namespace {

void add_to(GpuStep& sum, const GpuStep& held, std::int64_t times) {
  sum.capacity += held.capacity * times;
  sum.allocated += held.allocated * times;
  sum.unusable += held.unusable * times;
}

}  // namespace

base::Time Timeline::begin_of(std::size_t step) const {
  return start_ + step_ * static_cast<std::int64_t>(step);
}

base::Duration Timeline::length_of(std::size_t step) const {
  return std::min(step_, base::between(begin_of(step), end_));
}

void Timeline::halve() {
  for (std::size_t i = 0; 2 * i < steps_.size(); ++i) {
    GpuStep two = steps_[2 * i];
    if (2 * i + 1 < steps_.size()) add_to(two, steps_[2 * i + 1], 1);
    steps_[i] = two;
  }
  steps_.resize((steps_.size() + 1) / 2);
  step_ = step_ * 2;
}

void Timeline::add(base::Time from, base::Time to, const GpuStep& held) {
  constexpr auto kMost = static_cast<std::int64_t>(kMostSteps);
  while (to > start_ + step_ * kMost) halve();
  for (base::Time at = from; at < to;) {
    const auto step = static_cast<std::size_t>(base::between(start_, at) / step_);
    if (step >= steps_.size()) steps_.resize(step + 1);
    const base::Time next = std::min(to, begin_of(step + 1));
    add_to(steps_[step], held, base::between(at, next).value());
    at = next;
  }
  end_ = std::max(end_, to);
}

}  // namespace headroom::simulate
