// The placements by name.
#pragma once

#include <string>
#include <vector>

namespace headroom::schedule {

// In the order in which tables show them: random, dot_product, clustering, packing, best_fit,
// spread, fgd, headroom, headroom_learned.
const std::vector<std::string>& placement_names();

}  // namespace headroom::schedule
