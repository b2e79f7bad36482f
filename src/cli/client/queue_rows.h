// Queues as rows: one for each pool of nodes, with what is the queue's own in each.
#pragma once

#include <vector>

#include "cli/client/client.h"

namespace headroom::cli {

std::vector<Json> queue_rows(const std::vector<Json>& queues);

}  // namespace headroom::cli
