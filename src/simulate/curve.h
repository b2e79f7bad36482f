// Curve: what one run of the fill-up experiment measured, as a function of the demand that had
// arrived. Cell p holds the mean over all samples whose arrived demand rounds to p % of the
// cluster's GPUs (one sample an arrival); this is how the published tables were made
// (docs/placement.md).
#pragma once

#include <cstdint>
#include <vector>

#include "base/quantity.h"

namespace headroom::simulate {

struct CurvePoint {
  bool seen = false;         // false: no arrival rounds to this %, nor to one beside it
  double allocated = 0;      // % of all GPU milli that tasks hold
  double fragment = 0;       // % of all GPU milli that are idle but of no use (F of the paper)
  double fragment_rate = 0;  // % of the idle GPU milli that are of no use
};

struct Curve {
  std::vector<CurvePoint> at;  // index: arrived, in % of all GPU milli
};

// Collects the samples of one run.
class CurveRecorder {
 public:
  explicit CurveRecorder(base::GpuMilli capacity) : capacity_(capacity) {}

  // After one arrival. `fragment` is weight x F.
  void add(base::GpuMilli arrived, base::GpuMilli allocated, std::int64_t fragment,
           std::int64_t weight);

  // Means by cell; an empty cell takes those of its neighbours.
  Curve finish() const;

 private:
  struct Cell {
    std::int64_t samples = 0;
    double allocated = 0;
    double fragment = 0;
    double fragment_rate = 0;
  };

  base::GpuMilli capacity_;
  std::vector<Cell> cells_;
};

}  // namespace headroom::simulate
