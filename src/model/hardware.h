// What one GPU product can do: its memory, and how MIG may cut it.
//
// A MIG GPU has `mig_slices` memory slices (8 on A100/H100/H200/B200, 4 on A30). A profile covers
// `size` neighbouring slices and may start only at the slots in `starts` (bit i = slot i), at most
// `max_per_gpu` times on one GPU. Source: the placement tables of data/catalogue/hardware.csv.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/quantity.h"

namespace headroom::model {

using GpuModelId = base::Id<struct GpuModelTag>;

struct MigProfile {
  std::string name;          // "2g.20gb", as the vendor prints it
  std::uint8_t size = 0;     // memory slices covered
  std::uint16_t starts = 0;  // bit i: may start at slice i
  std::uint8_t max_per_gpu = 0;

  friend bool operator==(const MigProfile&, const MigProfile&) = default;
};

struct GpuModel {
  std::string name;             // canonical: "H100-SXM"
  base::Bytes memory;           // of one device, as its vendor prints it; 0: not known
  std::uint8_t mig_slices = 0;  // 0: no MIG
  std::vector<MigProfile> mig_profiles;

  // The profile of this name, or nullptr.
  const MigProfile* profile(std::string_view profile_name) const;

  friend bool operator==(const GpuModel&, const GpuModel&) = default;
};

}  // namespace headroom::model
