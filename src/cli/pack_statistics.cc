#include "cli/pack_statistics.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace headroom::cli {

namespace {

double quantile(const std::vector<double>& sorted, double part) {
  const double rank = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = rank - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

}  // namespace

Statistics statistics_of(std::vector<double> values) {
  HEADROOM_ASSERT(!values.empty());
  // Sorted first, so that the sums do not depend on the order in which the runs are given.
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (double value : values) sum += value;

  Statistics result;
  result.count = values.size();
  result.mean = sum / n;
  result.min = values.front();
  result.max = values.back();
  result.median = quantile(values, 0.5);
  result.quartile1 = quantile(values, 0.25);
  result.quartile3 = quantile(values, 0.75);
  if (values.size() > 1) {
    double squares = 0;
    for (double value : values) squares += (value - result.mean) * (value - result.mean);
    result.sd = std::sqrt(squares / (n - 1));
  }
  return result;
}

}  // namespace headroom::cli
