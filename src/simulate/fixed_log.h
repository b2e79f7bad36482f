// Logarithms and powers of two in whole numbers, so that they are the same on every machine (those
// of C libraries differ in the last digit).
#pragma once

#include <cstdint>

namespace headroom::simulate {

constexpr int kLogBits = 32;
constexpr int kPowerBits = 16;

// log2(value) * 2^32, rounded down. `value` is not 0.
std::uint64_t log2_fixed(std::uint64_t value);

// value * 2^(exponent / 2^16), rounded down; exact to 2^-24 of it. `value` is not negative, and the
// result is below 2^62.
std::int64_t times_power(std::int64_t value, std::int64_t exponent);

}  // namespace headroom::simulate
