#include "model/cluster.h"

#include <algorithm>

namespace headroom::model {

base::GpuMilli Cluster::gpu_capacity() const {
  base::GpuMilli total;
  for (const Node& node : nodes) total += base::kWholeGpu * shapes[node.shape.index()].gpus;
  return total;
}

ShapeId Cluster::intern_shape(const NodeShape& shape) {
  const auto found = std::find(shapes.begin(), shapes.end(), shape);
  const auto index = static_cast<std::size_t>(found - shapes.begin());
  if (found == shapes.end()) shapes.push_back(shape);
  return ShapeId{index};
}

GpuModelId Cluster::find_gpu_model(std::string_view model_name) const {
  for (std::size_t i = 0; i < gpu_models.size(); ++i) {
    if (gpu_models[i].name == model_name) return GpuModelId{i};
  }
  return GpuModelId::none();
}

}  // namespace headroom::model
