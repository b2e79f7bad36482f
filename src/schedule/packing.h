// packing: used GPUs before idle GPUs, used nodes before idle nodes.
//
// Rule     idle node with n GPUs: max(33 - n, n). Else, if the task needs idle GPUs:
//          max(50 - their number, 33). Else max(100 - free % of the GPUs it takes / 10, 50).
//          A task without GPUs: 0 on every node.
// Ties     first node in order; a share goes to the GPU with the least room.
// Source   the baseline "GpuPacking" of Weng et al., USENIX ATC 2023 (docs/placement.md).
#pragma once

#include "schedule/placement.h"

namespace headroom::schedule {

class Packing final : public Placement {
 public:
  Score score(const Candidate& candidate) const override;
  DeviceChoice devices(const Candidate& candidate, base::Rng& rng) const override;
};

}  // namespace headroom::schedule
