// The reservations and the maintenance of a cluster.yaml as events, with the ids of their nodes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/cluster.h"
#include "model/event.h"
#include "model/site.h"

namespace headroom::formats {

// Nodes by name. O(log nodes) for each question.
class NodeIds {
 public:
  explicit NodeIds(const model::Cluster& cluster);
  model::NodeId find(const std::string& name) const;  // none() when there is no such node

 private:
  std::vector<std::pair<std::string, model::NodeId>> ids_;  // sorted
};

// Reservations first. Names that no node has are left out (reading the file has refused them).
std::vector<model::ReservationChanged> build_windows(const model::Site& site, const NodeIds& ids);

}  // namespace headroom::formats
