// Statistics of a few repeated measurements (one a seed).
//
// Median of an even count: the mean of the middle two. Standard deviation: of the sample, with
// n - 1; a single measurement has none. Quartiles: linear interpolation between the two nearest
// ranks at 0.25 (n - 1) and 0.75 (n - 1) (Hyndman & Fan 1996, type 7; the default of R and NumPy).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace headroom::cli {

struct Statistics {
  std::size_t count = 0;
  double median = 0;
  double mean = 0;
  std::optional<double> sd;
  double min = 0;
  double max = 0;
  double quartile1 = 0;
  double quartile3 = 0;
};

// `values` must not be empty; their order does not matter.
Statistics statistics_of(std::vector<double> values);

}  // namespace headroom::cli
