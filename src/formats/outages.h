// Outages of nodes, as a CSV: who was out of service from when to when.
//
//   node,from,to
//   h07,2026-11-02T10:00:00Z,2026-11-02T14:30:00Z
//   h[10-13],2026-11-05T00:00:00Z,2026-11-05T06:00:00Z
//
// A node may be a pattern (names.h); in quotes where it has a comma. Times as in time.h.
#pragma once

#include <string>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "formats/rows.h"

namespace headroom::formats {

struct NodeOutage {
  std::string node;
  base::Time from;
  base::Time to;
  friend bool operator==(const NodeOutage&, const NodeOutage&) = default;
};

// In the order of the file, patterns expanded. `nodes`: the names that there are. Errors name the
// line: a time that cannot be read, an outage that ends before it starts, a node that is not there.
base::Result<Rows<std::vector<NodeOutage>>> read_outages(const std::string& name,
                                                         const std::string& text,
                                                         const std::vector<std::string>& nodes,
                                                         Strictness strictness);

}  // namespace headroom::formats
