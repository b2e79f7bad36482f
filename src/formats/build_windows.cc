#include "formats/build_windows.h"

#include <algorithm>

#include "base/assert.h"
#include "formats/names.h"

namespace headroom::formats {

NodeIds::NodeIds(const model::Cluster& cluster) {
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    ids_.emplace_back(cluster.nodes[i].name, model::NodeId{i});
  }
  std::sort(ids_.begin(), ids_.end());
}

model::NodeId NodeIds::find(const std::string& name) const {
  const auto at = std::lower_bound(
      ids_.begin(), ids_.end(), name,
      [](const auto& one, const std::string& wanted) { return one.first < wanted; });
  return at != ids_.end() && at->first == name ? at->second : model::NodeId::none();
}

std::vector<model::ReservationChanged> build_windows(const model::Site& site, const NodeIds& ids) {
  std::vector<model::ReservationChanged> windows;
  const auto add = [&](const std::vector<model::WindowSpec>& specs, bool maintenance) {
    for (const model::WindowSpec& spec : specs) {
      model::ReservationChanged& one = windows.emplace_back(
          model::ReservationChanged{.window = spec, .maintenance = maintenance});
      const auto names = expand_names(spec.nodes);
      HEADROOM_ASSERT(names.has_value());
      for (const std::string& name : *names) {
        const model::NodeId id = ids.find(name);
        if (id.valid()) one.nodes.push_back(id);
      }
    }
  };
  add(site.reservations, false);
  add(site.maintenance, true);
  return windows;
}

}  // namespace headroom::formats
