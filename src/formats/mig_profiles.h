// The column `mig_profiles` of the hardware catalogue:
//
//   1g.10gb|start=0-6|size=1|max=7; 7g.80gb|start=0|size=8|max=1|also=7g.81gb
//
// or `none`. A profile without a start is known by name only.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/catalogue.h"

namespace headroom::formats {

// Fills in the product's MIG profiles on a GPU of `slices` memory slices. An error names the item
// and what is wrong with it, not the place.
base::Result<void> parse_mig_profiles(std::string_view text, int slices, model::Product& product);

// Whether a text looks like the name of a MIG profile: 2g.20gb, 1g.10gb+me.
bool looks_like_mig_profile(std::string_view text);

}  // namespace headroom::formats
