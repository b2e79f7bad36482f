// A random site: cluster, queues, settings, policy and placement, all from one stream of random
// numbers. Sites are small but have everything: pools of several shapes, MIG, nodes without GPUs,
// domains of every level, nodes of unknown domain, guarantees in GPUs and in cells, limits,
// limits of users.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "model/cluster.h"
#include "model/queue.h"
#include "schedule/state.h"

namespace headroom::simtest {

struct Site {
  std::shared_ptr<const model::Cluster> cluster;  // 20 to 40 nodes
  std::vector<model::Queue> queues;
  std::vector<std::string> leaves;  // queues that jobs may enter
  schedule::Settings settings;
  std::string policy;
  std::string placement;
};

// `policy`: empty for one that the seed picks.
Site random_site(base::Rng& rng, const std::string& policy);

}  // namespace headroom::simtest
