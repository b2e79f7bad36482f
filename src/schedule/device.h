// Device: what is free on one GPU, in 16 bits.
//
// A GPU is in one of two modes. Shared: tasks hold thousandths of it, and 0..1000 are free (1000:
// idle). MIG: at least one instance exists, and each memory slice is taken or not. An idle GPU has
// no mode yet: the first task decides, and it is idle again when the last one leaves.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

#include "base/assert.h"

namespace headroom::schedule {

constexpr int kDeviceMilli = 1000;

class Device {
 public:
  constexpr Device() = default;  // nothing free: also stands for a GPU that is not there

  static constexpr Device idle() { return Device{kDeviceMilli}; }
  static constexpr Device shared(int free_milli) {
    return Device{static_cast<std::uint16_t>(free_milli)};
  }
  // `used` is not 0. `media`: an instance holds the media engines (profiles "+me", one a GPU).
  static constexpr Device mig(std::uint8_t used, bool media) {
    const int bits = kMig | (media ? kMedia : 0) | used;
    return Device{static_cast<std::uint16_t>(bits)};
  }

  constexpr bool is_idle() const { return bits_ == kDeviceMilli; }
  constexpr bool is_mig() const { return (bits_ & kMig) != 0; }
  constexpr bool media_taken() const { return is_mig() && (bits_ & kMedia) != 0; }
  constexpr std::uint8_t used_slices() const {
    return is_mig() ? static_cast<std::uint8_t>(bits_ & 0xff) : std::uint8_t{0};
  }

  // Milli that a share or a whole-GPU task could take: none on a GPU in MIG mode.
  constexpr int shareable_milli() const { return is_mig() ? 0 : bits_; }

  // Milli that no task holds, in either mode. `slices`: memory slices of the GPU model.
  constexpr int free_milli(int slices) const {
    if (!is_mig()) return bits_;
    return kDeviceMilli * (slices - std::popcount(used_slices())) / slices;
  }

  constexpr std::uint16_t bits() const { return bits_; }

  friend constexpr auto operator<=>(Device, Device) = default;

 private:
  static constexpr int kMig = 0x8000;
  static constexpr int kMedia = 0x4000;

  constexpr explicit Device(std::uint16_t bits) : bits_(bits) {}

  std::uint16_t bits_ = 0;
};

}  // namespace headroom::schedule
