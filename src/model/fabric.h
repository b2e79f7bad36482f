// Where nodes sit: the levels of a cluster's topology and the domains of each level. A node is in
// at most one domain of a level; a node whose place is not known is in none.
//
//   node            the node itself
//   nvlink_domain   GPUs joined by NVLink: a node, or a rack of nodes (18 in an NVL72)
//   rack            shares power and cooling
//   leaf            shares a leaf switch
//   pod             leaves joined by the same spines at full rate
//
// Domains of a level are numbered densely from 0 in the order in which their first node appears.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/id.h"

namespace headroom::model {

enum class Level : std::uint8_t { kNode, kNvlinkDomain, kRack, kLeaf, kPod };
constexpr std::size_t kLevels = 5;

using DomainId = base::Id<struct DomainTag>;

struct Fabric {
  // By level, then by NodeId: the node's domain, or none().
  std::array<std::vector<DomainId>, kLevels> domain_of;
  // By level: how many domains there are.
  std::array<std::uint32_t, kLevels> domains{};

  friend bool operator==(const Fabric&, const Fabric&) = default;
};

}  // namespace headroom::model
