// MigTable: for one GPU model, which instances still fit beside those that exist, and where the
// next one should start.
//
// Rule: of the legal start slots, take the one that leaves the most worth open, where the worth of
// a layout is the sum of the sizes of all (profile, start) pairs that still fit. That keeps the
// largest holes: the first 1g of an empty A100 goes to slot 6, beside a whole 4g and a 2g. Tie: the
// lowest start.
//
// All answers are table look-ups (256 layouts a model), filled once from the profile table.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/hardware.h"

namespace headroom::schedule {

class MigTable {
 public:
  static constexpr std::uint8_t kNoStart = 0xff;

  explicit MigTable(const model::GpuModel& gpu);

  // Best start slot of profile number `profile` beside the slices `used`, or kNoStart.
  std::uint8_t start(std::size_t profile, std::uint8_t used) const { return start_[profile][used]; }

  // What the layout leaves open; 0 when nothing fits any more.
  int worth(std::uint8_t used) const { return worth_[used]; }

  // The slices that an instance of `profile` covers when it starts at `start`.
  std::uint8_t covered(std::size_t profile, std::uint8_t start) const {
    return static_cast<std::uint8_t>(((1u << size_[profile]) - 1u) << start);
  }

  int slices() const { return slices_; }

 private:
  int slices_;
  std::vector<std::uint8_t> size_;
  std::array<std::int16_t, 256> worth_{};
  std::vector<std::array<std::uint8_t, 256>> start_;
};

}  // namespace headroom::schedule
