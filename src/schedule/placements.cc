#include "schedule/placements.h"

namespace headroom::schedule {

const std::vector<std::string>& placement_names() {
  static const std::vector<std::string> names = {"random",  "dot_product", "clustering",
                                                 "packing", "best_fit",    "spread",
                                                 "fgd",     "headroom",    "headroom_learned"};
  return names;
}

}  // namespace headroom::schedule
