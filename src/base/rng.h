// Rng: the one source of randomness, always passed in and always seeded, with our own
// distributions (those of the standard library differ between libraries). Same seed, same draws,
// on every machine.
//
// Generator: xoshiro256** 1.0, seeded through splitmix64 (Blackman & Vigna, "Scrambled linear
// pseudorandom number generators", ACM TOMS 2021). Bounded integers: Lemire, "Fast random integer
// generation in an interval", ACM TOMACS 2019 (unbiased).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace headroom::base {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  std::uint64_t next();

  // Uniform in [0, bound). bound must not be 0.
  std::uint64_t below(std::uint64_t bound);

  // Uniform in [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high);

  // True in `numerator` of `denominator` cases.
  bool chance(std::uint64_t numerator, std::uint64_t denominator) {
    return below(denominator) < numerator;
  }

  // Every order equally likely (Fisher-Yates).
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(left)]);
    }
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace headroom::base
