// Could the job start in these rooms, with the fewest tasks that may run? Found by counting, for
// the wishes of which counting is exact; for the others nobody knows.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tests/simtest/book.h"

namespace headroom::simtest {

using Allowed = std::function<bool(model::NodeId)>;

// nullopt: several groups, or several MIG instances, which would be a search.
std::optional<bool> feasible(const BookJob& job, const std::string& pool, const Rooms& rooms,
                             const Allowed& allowed);

// What is wrong with the domains in which the job's tasks run; empty: nothing.
std::string wrong_domain(const BookJob& job, const model::Cluster& cluster);

}  // namespace headroom::simtest
