// cluster.yaml: what there is. Reading checks everything that can be checked without the cluster
// itself: keys, units, ranges, names of GPU products, counts against name patterns, the queue tree
// and its guarantees. Each problem is one line of the error.
//
//   auto site = read_cluster_yaml("cluster.yaml", text, known_products());
//   read_cluster_yaml("again", write_cluster_yaml(*site), known_products()) == site
#pragma once

#include <string>

#include "base/result.h"
#include "formats/known.h"
#include "formats/value.h"
#include "model/site.h"

namespace headroom::formats {

// `name` is used in messages only. GPU names are brought into the catalogue's spelling.
base::Result<model::Site> read_cluster_yaml(const std::string& name, const std::string& text,
                                            const Known& known);

std::string write_cluster_yaml(const model::Site& site);

// JSON Schema (draft 2020-12) of the file, made from the same table that reads it.
Value cluster_schema();

}  // namespace headroom::formats
