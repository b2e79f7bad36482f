// Site: what cluster.yaml says, one member for each of its keys, before it is expanded to single
// nodes (Cluster). Plain data: two sites are equal when their files mean the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "model/cluster.h"
#include "model/queue.h"

namespace headroom::model {

struct GpuSpec {
  std::string model;   // canonical name of the catalogue, or the site's own
  int count = 0;       // in each node
  bool mig = false;    // may be cut into MIG slices
  base::Bytes memory;  // 0: the catalogue's
  friend bool operator==(const GpuSpec&, const GpuSpec&) = default;
};

enum class NicKind : std::uint8_t { kInfiniband, kEthernet };

struct NicSpec {
  int count = 0;  // in each node
  base::BytesPerSecond rate;
  NicKind kind = NicKind::kInfiniband;
  friend bool operator==(const NicSpec&, const NicSpec&) = default;
};

struct LocalStorageSpec {
  base::Bytes capacity;
  base::BytesPerSecond read;
  base::BytesPerSecond write;  // 0: not given
  friend bool operator==(const LocalStorageSpec&, const LocalStorageSpec&) = default;
};

// The nodes of one GPU model (or without GPUs).
struct PoolSpec {
  std::string pool;
  std::int64_t count = 0;
  std::string name;  // pattern of the nodes' names; empty: pool-0001, …
  std::optional<GpuSpec> gpu;
  base::CpuMilli cpu;
  base::Bytes memory;
  std::optional<NicSpec> nic;
  std::optional<LocalStorageSpec> local_nvme;
  std::int64_t rack_size = 0;      // nodes in a rack; 0: not known
  std::int64_t nvlink_domain = 1;  // nodes in an NVLink domain
  std::int64_t pod_size = 0;       // nodes in a pod; 0: not known
  std::vector<Label> labels;       // sorted by key
  friend bool operator==(const PoolSpec&, const PoolSpec&) = default;
};

enum class FabricKind : std::uint8_t { kFatTree, kRailOptimized, kDragonfly, kTorus };

struct FabricSpec {
  FabricKind kind = FabricKind::kFatTree;
  std::int64_t leaf_nodes = 0;                    // under one leaf; 0: not known
  std::int64_t oversubscription_permille = 1000;  // down : up of a leaf
  int rails = 1;
  friend bool operator==(const FabricSpec&, const FabricSpec&) = default;
};

enum class StorageTier : std::uint8_t { kHot, kWarm, kCold };

struct StorageSpec {
  std::string name;
  std::string kind;  // "lustre", "nfs", …
  base::Bytes capacity;
  base::BytesPerSecond read;
  base::BytesPerSecond write;     // 0: as read
  base::Operations iops;          // 0: not known
  std::int64_t clients_knee = 0;  // mounting nodes from which it gets slower; 0: none
  StorageTier tier = StorageTier::kHot;
  friend bool operator==(const StorageSpec&, const StorageSpec&) = default;
};

struct FacilitySpec {
  base::Watts rack_power;  // 0: not given
  base::Watts rack_cooling;
  base::Watts site_power;
  std::int64_t pue_permille = 1000;
  friend bool operator==(const FacilitySpec&, const FacilitySpec&) = default;
};

// Nodes kept for a queue (a reservation), or out of service (maintenance), for a time.
struct WindowSpec {
  std::string name;
  std::string nodes;  // pattern of node names
  base::Time start;
  base::Time end;
  std::string queue;  // reservations only
  friend bool operator==(const WindowSpec&, const WindowSpec&) = default;
};

struct Site {
  std::string cluster;
  std::vector<PoolSpec> nodes;
  std::optional<FabricSpec> fabric;
  std::vector<StorageSpec> storage;
  std::optional<FacilitySpec> facility;
  std::vector<Queue> queues;
  std::vector<WindowSpec> reservations;
  std::vector<WindowSpec> maintenance;
  friend bool operator==(const Site&, const Site&) = default;
};

}  // namespace headroom::model
