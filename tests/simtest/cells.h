// Cells of queues, worked out from the book alone: which domains are whole, who uses them, how many
// are missing for what is promised.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/simtest/book.h"

namespace headroom::simtest {

using Domain = std::vector<model::NodeId>;

// The domains that lie in the pool, those with as many nodes as the largest of them.
std::vector<Domain> whole_domains(const model::Cluster& cluster, const std::string& pool,
                                  model::Level level);

// By pool and level: cells that are promised and not used, less the domains where nothing runs that
// cannot be preempted; 0 when there are enough. Of the highest level of each pool: what lower ones
// may count on depends on it.
using Shortages = std::map<std::pair<std::string, model::Level>, std::int64_t>;
Shortages shortages(const Book& book);

}  // namespace headroom::simtest
