// RequestTable: the distinct requests that a state knows, each resolved for every node shape. A
// request is interned once, so that placing a task compares numbers and never text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/id.h"
#include "model/cluster.h"
#include "model/request.h"
#include "schedule/demand.h"

namespace headroom::schedule {

using RequestId = base::Id<struct RequestTag>;

class RequestTable {
 public:
  // O(log requests) when known; else resolves it for every shape.
  RequestId intern(const model::Request& request, const model::Cluster& cluster);

  // The cluster has shapes from `first` on that it did not have: resolves every request for them.
  void add_shapes(const model::Cluster& cluster, std::size_t first);

  // The id of a request already interned, or none().
  RequestId find(const model::Request& request) const;

  std::size_t size() const { return entries_.size(); }
  const model::Request& request(RequestId id) const { return entries_[id.index()]->request; }
  const Demand& demand(RequestId id, model::ShapeId shape) const {
    return entries_[id.index()]->by_shape[shape.index()];
  }
  // By shape.
  const std::vector<Demand>& demands(RequestId id) const { return entries_[id.index()]->by_shape; }
  // Depends on what is asked only, not on the order of interning.
  std::uint64_t digest(RequestId id) const { return entries_[id.index()]->digest; }

 private:
  struct Entry {
    model::Request request;
    std::vector<Demand> by_shape;
    std::uint64_t digest;
  };

  std::vector<std::shared_ptr<const Entry>> entries_;
  std::map<model::Request, RequestId> ids_;
};

}  // namespace headroom::schedule
