#include "formats/cluster_codec.h"

#include <fmt/format.h>

#include "formats/cluster_check.h"
#include "formats/codecs.h"
#include "formats/message.h"
#include "formats/quantity.h"

namespace headroom::formats {

using base::Result;
using namespace model;  // NOLINT: this file is a table of the model's members

namespace {

constexpr std::int64_t kMostNodes = 1'000'000;

// `none` for 0, else a number.
Codec<std::int64_t> none_or_number(std::string zero, std::int64_t word_means, std::int64_t most) {
  const auto parse = [=](std::string_view text) -> Result<std::int64_t> {
    if (text == zero) return word_means;
    Result<std::int64_t> number = parse_integer(text, 1, most);
    if (number) return number;
    return base::fail(fmt::format("{} is not {} or a number in 1..{}", shown(text), zero, most));
  };
  const auto print = [=](const std::int64_t& value) {
    return value == word_means ? zero : std::to_string(value);
  };
  return scalar<std::int64_t>(parse, print,
                              any_of({choice_schema({zero}), integer_schema(1, most)}));
}

Codec<GpuSpec> gpu_codec() {
  return object<GpuSpec>(
      {field("model", &GpuSpec::model, text(), "product of the catalogue, or the site's own")
           .needed(),
       field("count", &GpuSpec::count, small_number(1, kMaxGpusPerNode), "GPUs of a node").needed(),
       field("mig", &GpuSpec::mig, choice<bool>({{"allowed", true}, {"forbidden", false}}),
             "whether GPUs may be cut into MIG slices"),
       field("memory", &GpuSpec::memory, bytes(), "of one GPU; needed for a site's own model")},
      check_gpu);
}

Codec<NicSpec> nic_codec() {
  return object<NicSpec>(
      {field("count", &NicSpec::count, small_number(1, 64), "network cards of a node").needed(),
       field("rate", &NicSpec::rate, bit_rate(), "of each card, one direction").needed(),
       field("kind", &NicSpec::kind,
             choice<NicKind>(
                 {{"infiniband", NicKind::kInfiniband}, {"ethernet", NicKind::kEthernet}}),
             "")});
}

Codec<LocalStorageSpec> local_storage_codec() {
  using Spec = LocalStorageSpec;
  return object<Spec>({field("capacity", &Spec::capacity, bytes(), "of a node").needed(),
                       field("read", &Spec::read, byte_rate(), "of a node"),
                       field("write", &Spec::write, byte_rate(), "of a node")});
}

Codec<FabricSpec> fabric_codec() {
  return object<FabricSpec>(
      {field("kind", &FabricSpec::kind,
             choice<FabricKind>({{"fat-tree", FabricKind::kFatTree},
                                 {"rail-optimized", FabricKind::kRailOptimized},
                                 {"dragonfly", FabricKind::kDragonfly},
                                 {"torus", FabricKind::kTorus}}),
             "")
           .needed(),
       field("leaf", &FabricSpec::leaf_nodes, node_count(), "nodes under one leaf switch"),
       field("oversubscription", &FabricSpec::oversubscription_permille, permille(1000, 100'000),
             "of a leaf: down to nodes / up to spines"),
       field("rails", &FabricSpec::rails, small_number(1, 64), "separate planes of leaves")});
}

Codec<StorageSpec> storage_codec() {
  return object<StorageSpec>(
      {field("name", &StorageSpec::name, name(), "").needed(),
       field("kind", &StorageSpec::kind, name(), "lustre, nfs, …").needed(),
       field("capacity", &StorageSpec::capacity, bytes(), ""),
       field("read", &StorageSpec::read, byte_rate(), "of the whole system").needed(),
       field("write", &StorageSpec::write, byte_rate(), "of the whole system; default: as read"),
       field("iops", &StorageSpec::iops, operations(), "operations per second"),
       field("clients_knee", &StorageSpec::clients_knee, none_or_number("none", 0, kMostNodes),
             "mounting nodes from which on it gets slower"),
       field("tier", &StorageSpec::tier,
             choice<StorageTier>({{"hot", StorageTier::kHot},
                                  {"warm", StorageTier::kWarm},
                                  {"cold", StorageTier::kCold}}),
             "")});
}

Codec<FacilitySpec> facility_codec() {
  return object<FacilitySpec>(
      {field("rack_power", &FacilitySpec::rack_power, power(), "that a rack may draw"),
       field("rack_cooling", &FacilitySpec::rack_cooling, power(), "heat removed from a rack"),
       field("site_power", &FacilitySpec::site_power, power(), "that the whole site may draw"),
       field("pue", &FacilitySpec::pue_permille, permille(1000, 5000),
             "power usage effectiveness: all power / power of the machines")});
}

Codec<WindowSpec> window_codec(bool is_reservation) {
  std::vector<Field<WindowSpec>> fields{
      field("name", &WindowSpec::name, name(), "").needed(),
      field("nodes", &WindowSpec::nodes, node_names(), "names of nodes: h[001-032]").needed(),
      field("start", &WindowSpec::start, point_in_time(), "2026-11-30T12:00:00Z").needed(),
      field("end", &WindowSpec::end, point_in_time(), "").needed()};
  if (is_reservation) {
    fields.push_back(field("queue", &WindowSpec::queue, text(), "for which it is kept").needed());
  }
  return object<WindowSpec>(std::move(fields));
}

}  // namespace

Codec<PoolSpec> pool_codec() {
  return object<PoolSpec>(
      {field("pool", &PoolSpec::pool, name(), "name of these nodes of one GPU model").needed(),
       field("count", &PoolSpec::count, whole_number(1, kMostNodes), "nodes").needed(),
       field("name", &PoolSpec::name, node_names(), "names of the nodes: h[001-032]"),
       field("gpu", &PoolSpec::gpu, gpu_codec(), "GPUs of each node"),
       field("cpu", &PoolSpec::cpu, cores(), "cores of each node").needed(),
       field("memory", &PoolSpec::memory, bytes(), "of each node").needed(),
       field("nic", &PoolSpec::nic, nic_codec(), "network cards of each node"),
       field("local_nvme", &PoolSpec::local_nvme, local_storage_codec(), "local storage"),
       field("rack_size", &PoolSpec::rack_size, whole_number(1, 1000), "nodes in a rack"),
       field("nvlink_domain", &PoolSpec::nvlink_domain, none_or_number("node", 1, 1000),
             "'node', or nodes of one NVLink domain (18 for an NVL72 rack)"),
       field("pod_size", &PoolSpec::pod_size, whole_number(1, kMostNodes), "nodes in a pod"),
       field("labels", &PoolSpec::labels, text_map(), "that jobs may ask for")});
}

const Codec<Site>& site_codec() {
  static const Codec<Site> codec = object<Site>(
      {field("cluster", &Site::cluster, name(), "name of the cluster").needed(),
       field("nodes", &Site::nodes, list_of(pool_codec()), "pools of equal nodes").needed(),
       field("fabric", &Site::fabric, fabric_codec(), "the network between nodes"),
       field("storage", &Site::storage, list_of(storage_codec()), "shared storage systems"),
       field("facility", &Site::facility, facility_codec(), "power and cooling"),
       field("queues", &Site::queues, list_of(queue_codec()), "the tree of queues"),
       field("reservations", &Site::reservations, list_of(window_codec(true)),
             "nodes kept for a queue"),
       field("maintenance", &Site::maintenance, list_of(window_codec(false)),
             "nodes out of service")});
  return codec;
}

}  // namespace headroom::formats
