// The placements by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster.h"
#include "schedule/placement.h"
#include "schedule/task_mix.h"

namespace headroom::schedule {

// In the order in which tables show them.
const std::vector<std::string>& placement_names();

// nullptr for a name that is not one of them. `mix` is what is known of the work to come.
std::unique_ptr<Placement> make_placement(std::string_view name, const model::Cluster& cluster,
                                          const TaskMix& mix);

}  // namespace headroom::schedule
