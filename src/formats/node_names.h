// Lists of node names as Slurm writes them, and back into patterns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::formats {

// "n[1-3,7],m9", however long the list in a bracket is. Error: as expand_names.
base::Result<std::vector<std::string>> expand_slurm_names(std::string_view list);

// The shortest pattern that stands for exactly these names in this order: {n1, n2, n3, m} is
// "n[1-3],m". Names of more than 200 letters in one bracket are cut into several items.
std::string compress_names(const std::vector<std::string>& names);

}  // namespace headroom::formats
