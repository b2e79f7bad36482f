// Timeline: GPU time by equal steps from the first submission on. What it holds is exact, whatever
// the length of a step: when there would be more than kMostSteps, two become one.
//
// Cost   add O(steps that it touches), at most kMostSteps.
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"

namespace headroom::simulate {

struct GpuStep {  // in GPU milli x ms
  std::int64_t capacity = 0;
  std::int64_t allocated = 0;
  std::int64_t unusable = 0;  // see GpuTime
};

class Timeline {
 public:
  static constexpr std::size_t kMostSteps = 512;

  Timeline() = default;
  explicit Timeline(base::Time start) : start_(start), end_(start) {}

  // What held from `from` to `to`, in GPU milli; `from` is the end so far.
  void add(base::Time from, base::Time to, const GpuStep& held);

  base::Time start() const { return start_; }
  base::Time end() const { return end_; }
  base::Duration step() const { return step_; }
  const std::vector<GpuStep>& steps() const { return steps_; }  // the last one may be cut short
  base::Time begin_of(std::size_t step) const;
  base::Duration length_of(std::size_t step) const;

 private:
  void halve();

  base::Time start_;
  base::Time end_;
  base::Duration step_{60'000};
  std::vector<GpuStep> steps_;
};

}  // namespace headroom::simulate
