// Cluster: the nodes that can be scheduled on, as dense tables. It is immutable once built, and
// shared by every copy of the scheduler's state. `cluster.yaml` (model/site.h) expands to it, and
// the readers of formats/ make it from what others write.
//
// Nodes of equal hardware and labels share one NodeShape, so that what depends only on hardware is
// worked out once a shape and not once a node.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"
#include "model/fabric.h"
#include "model/hardware.h"

namespace headroom::model {

using NodeId = base::Id<struct NodeTag>;
using ShapeId = base::Id<struct ShapeTag>;

constexpr int kMaxGpusPerNode = 16;

using Label = std::pair<std::string, std::string>;  // key, value

struct NodeShape {
  std::string pool;  // name of the pool in cluster.yaml
  base::CpuMilli cpu;
  base::Bytes memory;
  GpuModelId gpu_model;       // none() for a node without GPUs
  int gpus = 0;               // 0..kMaxGpusPerNode
  bool mig = false;           // its GPUs may be cut into MIG slices
  std::vector<Label> labels;  // sorted by key

  friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

struct Node {
  std::string name;  // unique
  ShapeId shape;
};

struct Cluster {
  std::string name;
  std::vector<GpuModel> gpu_models;  // by GpuModelId
  std::vector<NodeShape> shapes;     // by ShapeId, no two equal
  std::vector<Node> nodes;           // by NodeId
  Fabric fabric;                     // empty: not known

  const NodeShape& shape(NodeId node) const { return shapes[nodes[node.index()].shape.index()]; }

  // All GPUs, in thousandths.
  base::GpuMilli gpu_capacity() const;

  // The shape's id; adds it when it is new. O(shapes).
  ShapeId intern_shape(const NodeShape& shape);

  // The model's id, or none().
  GpuModelId find_gpu_model(std::string_view model_name) const;
};

}  // namespace headroom::model
