#include "simulate/curve.h"

#include <cmath>

namespace headroom::simulate {

namespace {

double two_decimals(double percent) { return std::round(percent * 100.0) / 100.0; }

}  // namespace

void CurveRecorder::add(base::GpuMilli arrived, base::GpuMilli allocated, std::int64_t fragment,
                        std::int64_t weight) {
  const std::int64_t capacity = capacity_.value();
  const auto percent = static_cast<std::size_t>((arrived.value() * 100 + capacity / 2) / capacity);
  if (cells_.size() <= percent) cells_.resize(percent + 1);
  Cell& cell = cells_[percent];
  ++cell.samples;
  const auto all = static_cast<double>(capacity);
  // The published allocation samples are rounded to two decimals before they are averaged.
  cell.allocated += two_decimals(100.0 * static_cast<double>(allocated.value()) / all);
  const double unusable = static_cast<double>(fragment) / static_cast<double>(weight);
  cell.fragment += 100.0 * unusable / all;
  const std::int64_t idle = capacity - allocated.value();
  cell.fragment_rate += idle > 0 ? 100.0 * unusable / static_cast<double>(idle) : 0.0;
}

Curve CurveRecorder::finish() const {
  Curve curve;
  curve.at.resize(cells_.size());
  for (std::size_t p = 0; p < cells_.size(); ++p) {
    std::size_t first = p;
    std::size_t last = p;
    if (cells_[p].samples == 0) {
      first = p == 0 ? 0 : p - 1;
      last = p + 1 < cells_.size() ? p + 1 : p;
    }
    Cell sum;
    for (std::size_t i = first; i <= last; ++i) {
      sum.samples += cells_[i].samples;
      sum.allocated += cells_[i].allocated;
      sum.fragment += cells_[i].fragment;
      sum.fragment_rate += cells_[i].fragment_rate;
    }
    if (sum.samples == 0) continue;
    const auto n = static_cast<double>(sum.samples);
    curve.at[p] = {true, sum.allocated / n, sum.fragment / n, sum.fragment_rate / n};
  }
  return curve;
}

}  // namespace headroom::simulate
