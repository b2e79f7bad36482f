// The policies by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/policy.h"

namespace headroom::schedule {

const std::vector<std::string>& policy_names();

// nullptr for a name that is not one of them.
std::unique_ptr<Policy> make_policy(std::string_view name);

}  // namespace headroom::schedule
