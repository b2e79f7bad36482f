// Settings: single values of a cluster.yaml changed from outside, for questions such as "what if
// there were ten more nodes?".
//
//   nodes=50                        nodes of the first pool with GPUs
//   nodes.v100=50                   nodes of this pool; so does nodes.v100.count=50
//   nodes.v100.gpu.count=4          any key of the file, lists by the name of their item
//   queues.research.guarantee=64    of the only pool with GPUs
//   queues.research.guarantee.v100=64
//   queues.research/vision.weight=2
//
// What is set is read and checked like the file itself. With another number of nodes their names
// are cut off, or go on where the pattern ends, and reservations and maintenance keep the nodes
// that are still there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/known.h"
#include "model/site.h"

namespace headroom::formats {

struct Setting {
  std::string key;
  std::string value;
  friend bool operator==(const Setting&, const Setting&) = default;
};

// "key=value".
base::Result<Setting> parse_setting(std::string_view text);

// The values of "30-60" (each whole number), "30-60:10" (every tenth) or "30,40,50" (any words); at
// most 10,000.
base::Result<std::vector<std::string>> parse_sweep_values(std::string_view text);

// The site with these values, in this order. Errors name the setting, what is wrong with it and
// what is allowed.
base::Result<model::Site> with_settings(const model::Site& site,
                                        const std::vector<Setting>& settings, const Known& known);

}  // namespace headroom::formats
