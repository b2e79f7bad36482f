// Rooms: what is free on every node, worked out once more from what tasks were given, as plainly
// as it can be written. Shares nothing with the scheduler but the model: no table, no index.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/cluster.h"
#include "model/placement.h"
#include "model/request.h"

namespace headroom::simtest {

struct Gpu {
  int shared = 0;       // thousandths that shares and whole-GPU tasks hold
  unsigned slices = 0;  // MIG slices that instances hold
  bool media = false;   // one of them has the media engines
  bool idle() const { return shared == 0 && slices == 0; }
};

struct Room {
  std::int64_t cpu = 0;     // free, thousandths of a core
  std::int64_t memory = 0;  // free, bytes
  std::array<Gpu, model::kMaxGpusPerNode> gpus;
  int tasks = 0;
  bool exclusive = false;
};

class Rooms {
 public:
  explicit Rooms(const model::Cluster& cluster);

  const Room& operator[](model::NodeId node) const { return rooms_[node.index()]; }

  // The task takes what its placement says. The answer is empty, or what is wrong with it: it does
  // not suit the node, is not what was asked, or what it takes is not free.
  std::string take(const model::Request& request, const model::TaskPlacement& task);
  void give_back(const model::Request& request, const model::TaskPlacement& task);

  const model::Cluster& cluster() const { return *cluster_; }

  // Another cluster, with the nodes of the one before and perhaps more; `changed`: nothing runs
  // there, and it is what it is now.
  void replace_cluster(const model::Cluster& cluster, model::NodeId changed);

 private:
  static Room empty_room(const model::NodeShape& shape);
  std::string take_gpus(const model::Request& request, const model::TaskPlacement& task);

  const model::Cluster* cluster_;
  std::vector<Room> rooms_;
};

// Could an empty node of this shape run the task?
bool suits(const model::Request& request, const model::NodeShape& shape,
           const model::Cluster& cluster);

// Thousandths of one GPU of the shape that the task takes of each GPU it uses.
std::int64_t share_of(const model::Request& request, const model::NodeShape& shape,
                      const model::Cluster& cluster);
std::int64_t gpus_of(const model::Request& request);  // GPUs it uses

// How many such tasks could start in the room, at most `most`. Exact, but for more than one MIG
// instance: then the number that a simple search finds.
std::int64_t count_that_fit(Room room, const model::Request& request, const model::NodeShape& shape,
                            const model::Cluster& cluster, std::int64_t most);

}  // namespace headroom::simtest
