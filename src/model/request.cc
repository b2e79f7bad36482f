#include "model/request.h"

namespace headroom::model {

base::GpuMilli Request::nominal_gpu() const {
  switch (gpu.kind) {
    case GpuRequest::Kind::kWhole:
      return base::kWholeGpu * gpu.count;
    case GpuRequest::Kind::kShare:
      return gpu.share;
    case GpuRequest::Kind::kNone:
    case GpuRequest::Kind::kMemory:
    case GpuRequest::Kind::kMig:
      break;
  }
  return base::GpuMilli{0};
}

}  // namespace headroom::model
