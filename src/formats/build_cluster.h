// From what cluster.yaml says to single nodes: names are expanded, nodes of equal hardware share a
// shape, and every node gets its place in the topology. Nodes keep the order of the file; racks,
// NVLink domains, leaves and pods are filled in that order, each pool beginning new ones.
#pragma once

#include "base/result.h"
#include "model/catalogue.h"
#include "model/cluster.h"
#include "model/site.h"

namespace headroom::formats {

// The site must have been read (its GPU names are canonical). Errors: a GPU product that is neither
// in the catalogue nor has a memory; one name with two memories.
base::Result<model::Cluster> build_cluster(const model::Site& site,
                                           const model::Catalogue& catalogue);

}  // namespace headroom::formats
