// random: any node that fits, each with the same chance; a share on any GPU that fits, likewise.
// Whole GPUs are taken by index. Source: the baseline "Random" of Weng et al., USENIX ATC 2023.
#pragma once

#include "schedule/placement.h"

namespace headroom::schedule {

class Random final : public Placement {
 public:
  Score score(const Candidate&) const override { return 0; }
  bool uniform() const override { return true; }
  DeviceChoice devices(const Candidate& candidate, base::Rng& rng) const override;
};

}  // namespace headroom::schedule
