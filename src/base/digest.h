// Digest: a 64-bit fingerprint of a sequence of whole numbers and texts. Not cryptographic: it
// tells two states apart, it does not keep a secret. The same values in the same order give the
// same digest on every machine and at every optimisation level.
//
// Things that have no order of their own are digested one by one and added up (`unordered`), so
// that the result does not depend on where they happen to be stored.
//
// Mixing: the 64-bit finaliser of MurmurHash3 (Appleby, public domain).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headroom::base {

constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  x ^= x >> 33;
  return x;
}

class Digest {
 public:
  constexpr void add(std::uint64_t word) {
    value_ = mix64(value_ + 0x9e3779b97f4a7c15 + mix64(word ^ 0xbf58476d1ce4e5b9));
  }
  constexpr void add(std::int64_t word) { add(static_cast<std::uint64_t>(word)); }
  constexpr void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  constexpr void unordered(const Digest& one) { sum_ += mix64(one.value()); }

  constexpr std::uint64_t value() const { return mix64(value_ ^ mix64(sum_)); }

 private:
  std::uint64_t value_ = 0;
  std::uint64_t sum_ = 0;
};

// Sixteen hexadecimal digits.
std::string to_hex(std::uint64_t digest);

}  // namespace headroom::base
