// Known upper bounds on what any placement can allocate, per task list, to be drawn beside what the
// placements did. docs/placement.md says how they were made.
//
// The file: list,prefix_bound,prefix_share,free_bound_100,free_bound_130, in % of all GPU milli.
//   prefix bound  at 100 % arrived, for runs that serve at least `prefix_share` of every common
//   class
//                 of tasks, as those do that drop none of them before the cluster is nearly full
//   free bound    for every placement, whatever it drops
#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace headroom::cli {

struct Bound {
  double prefix = 0;
  double free = 0;  // at 100 % arrived
};

// By name of the task list. `name` is used in messages only.
base::Result<std::map<std::string, Bound>> read_bounds(const std::string& name,
                                                       const std::string& text);

}  // namespace headroom::cli
