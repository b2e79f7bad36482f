// SiteChange: what turns the state into what another cluster.yaml says, as events and in words.
// Nodes are known by their names: one that runs tasks cannot go or change before it is drained.
// What a queue's users did stays with its name.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/event.h"
#include "model/site.h"
#include "schedule/state.h"

namespace headroom::server {

struct SiteChange {
  std::vector<model::Event> events;  // in an order in which each is allowed if all are
  std::vector<std::string> lines;    // "+ node n3 (h100)", "~ queue research: limit", "- …"
};

// Nothing changes when the site says what is there. Errors: a GPU product that is not known, or has
// another memory than the one of that name in the cluster. O(nodes log nodes + queues^2).
base::Result<SiteChange> change_to(const schedule::State& state, const model::Site& site);

}  // namespace headroom::server
