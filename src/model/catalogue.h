// Catalogue: what is known of each GPU product, as data with a source in every row, and reference
// sizes of fabrics. It is read from data/catalogue/ (formats/catalogue.h). A value of 0, or an
// empty text, is not known or does not exist; it never means none.
//
// Names are matched without regard to case. A prefix up to a hyphen stands for every product that
// begins with it: H100 for H100-SXM, H100-PCIe and H100-NVL.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "model/hardware.h"

namespace headroom::model {

struct Product {
  GpuModel gpu;  // name, memory, and how MIG may cut it
  std::string form;
  std::string architecture;
  base::FlopPerSecond bf16_dense;  // peak of the data sheet
  base::FlopPerSecond fp8_dense;
  base::FlopPerSecond fp4_dense;
  base::FlopPerSecond bf16_achievable;  // measured maximum of a matrix product
  base::FlopPerSecond fp8_achievable;
  base::BytesPerSecond memory_rate;
  base::BytesPerSecond nvlink_rate;  // one direction
  base::BytesPerSecond pcie_rate;    // one direction
  base::Watts power;                 // thermal design power
  std::string typical_node;
  int gpus_per_node = 0;  // 0: not fixed
  base::Watts node_power;
  std::string node_nics;
  std::string source_specs;
  std::string source_mig;
  std::string source_node;
  std::string note;
  // MIG profiles that exist but whose start slots are not known: they cannot be scheduled.
  std::vector<std::string> unplaceable_profiles;
  // Other spellings of profiles: (other, canonical).
  std::vector<std::pair<std::string, std::string>> profile_aliases;

  friend bool operator==(const Product&, const Product&) = default;
};

// A published design: so many nodes need so many switches.
struct ReferenceFabric {
  std::string fabric;
  std::string unit;
  std::int64_t nodes = 0;
  std::int64_t gpus = 0;
  std::int64_t leaf_switches = 0;
  std::int64_t spine_switches = 0;
  std::int64_t core_switches = 0;
  std::string note;
  std::string source;

  friend bool operator==(const ReferenceFabric&, const ReferenceFabric&) = default;
};

struct Catalogue {
  std::vector<Product> products;
  std::vector<ReferenceFabric> fabrics;

  // The product of exactly this name, or nullptr.
  const Product* find(std::string_view name) const;
};

// Whether `name` is `wish`, or begins with `wish` and a hyphen; without regard to case.
bool name_matches(std::string_view wish, std::string_view name);

// Which of the names a wish stands for: the name itself if there is one, else all that begin with
// it. In the order of `names`; empty when there is none.
std::vector<std::string> matching_names(std::string_view wish,
                                        const std::vector<std::string>& names);

}  // namespace headroom::model
