// fill_up: the experiment of the fragmentation paper (Weng et al., "Beware of Fragmentation",
// USENIX ATC 2023): tasks arrive one at a time in random order, are placed or dropped for good, and
// never leave, until `arrive` times the cluster's GPUs have been asked for.
//
// Pure: the same arguments give the same result and the same digest on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "model/cluster.h"
#include "simulate/curve.h"
#include "simulate/workload.h"

namespace headroom::simulate {

struct FillUp {
  std::shared_ptr<const model::Cluster> cluster;
  std::shared_ptr<const Workload> workload;
  std::string placement;  // one of schedule::placement_names()
  std::uint64_t seed = 0;
  std::int64_t arrive_permille = 1300;  // demand that arrives, in thousandths of the cluster's GPUs
};

struct FillUpResult {
  Curve curve;
  std::int64_t arrived = 0;  // tasks
  std::int64_t placed = 0;
  std::uint64_t digest = 0;  // of the state at the end
};

// Errors: an unknown placement; tasks without any GPU demand; a cluster without GPUs.
base::Result<FillUpResult> fill_up(const FillUp& experiment);

}  // namespace headroom::simulate
