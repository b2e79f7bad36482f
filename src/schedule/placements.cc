#include "schedule/placements.h"

#include <array>

#include "schedule/best_fit.h"
#include "schedule/clustering.h"
#include "schedule/dot_product.h"
#include "schedule/fgd.h"
#include "schedule/headroom_placement.h"
#include "schedule/packing.h"
#include "schedule/random.h"
#include "schedule/spread.h"

namespace headroom::schedule {

namespace {

using Make = std::unique_ptr<Placement> (*)(const model::Cluster&, const TaskMix&);

template <class T>
std::unique_ptr<Placement> plain(const model::Cluster&, const TaskMix&) {
  return std::make_unique<T>();
}

template <class T>
std::unique_ptr<Placement> of_cluster(const model::Cluster& cluster, const TaskMix&) {
  return std::make_unique<T>(cluster);
}

template <class T>
std::unique_ptr<Placement> of_mix(const model::Cluster& cluster, const TaskMix& mix) {
  return std::make_unique<T>(cluster, mix);
}

template <HeadroomPlacement::Knows knows>
std::unique_ptr<Placement> worth(const model::Cluster& cluster, const TaskMix& mix) {
  return std::make_unique<HeadroomPlacement>(cluster, mix, knows);
}

struct Entry {
  const char* name;
  Make make;
};

constexpr std::array kPlacements = {
    Entry{"random", plain<Random>},
    Entry{"dot_product", of_cluster<DotProduct>},
    Entry{"clustering", of_cluster<Clustering>},
    Entry{"packing", plain<Packing>},
    Entry{"best_fit", of_cluster<BestFit>},
    Entry{"spread", plain<Spread>},
    Entry{"fgd", of_mix<Fgd>},
    Entry{"headroom", worth<HeadroomPlacement::Knows::kWholeMix>},
    Entry{"headroom_learned", worth<HeadroomPlacement::Knows::kArrivals>},
};

}  // namespace

const std::vector<std::string>& placement_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : kPlacements) all.emplace_back(entry.name);
    return all;
  }();
  return names;
}

std::unique_ptr<Placement> make_placement(std::string_view name, const model::Cluster& cluster,
                                          const TaskMix& mix) {
  for (const Entry& entry : kPlacements) {
    if (name == entry.name) return entry.make(cluster, mix);
  }
  return nullptr;
}

}  // namespace headroom::schedule
