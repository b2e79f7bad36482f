// spread: the node with the most room, for evenly loaded nodes and small blast radius.
//
// Rule     score = 5000 (free GPU after / GPU of the node + free CPU after / CPU of the node),
//          rounded down; without GPUs on the node, the CPU part alone. A share goes to the GPU with
//          the most room.
// Ties     first node in order.
#pragma once

#include "schedule/placement.h"

namespace headroom::schedule {

class Spread final : public Placement {
 public:
  Score score(const Candidate& candidate) const override;
  DeviceChoice devices(const Candidate& candidate, base::Rng& rng) const override;
};

}  // namespace headroom::schedule
