// Quantity<Tag>: a whole number of one unit (int64). Different units do not mix; there is no
// floating point. Sums and differences stay in the unit, a ratio of two is a plain number.
//
//   Bytes memory = 2 * gibibytes(64);
//   CpuMilli cpu{4000};             // four cores
#pragma once

#include <compare>
#include <cstdint>

namespace headroom::base {

template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t value) : value_(value) {}

  constexpr std::int64_t value() const { return value_; }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t n) { return Quantity{a.value_ * n}; }
  friend constexpr Quantity operator*(std::int64_t n, Quantity a) { return a * n; }
  friend constexpr std::int64_t operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

 private:
  std::int64_t value_ = 0;
};

using CpuMilli = Quantity<struct CpuMilliTag>;  // thousandths of a core
using GpuMilli = Quantity<struct GpuMilliTag>;  // thousandths of a GPU
using Bytes = Quantity<struct BytesTag>;        // bytes
using BytesPerSecond = Quantity<struct BytesPerSecondTag>;
using Operations = Quantity<struct OperationsTag>;  // storage operations per second
using Watts = Quantity<struct WattsTag>;
using FlopPerSecond = Quantity<struct FlopTag>;  // floating-point operations per second
using Duration = Quantity<struct DurationTag>;   // milliseconds
using Time = Quantity<struct TimeTag>;           // milliseconds since 1970-01-01T00:00Z

constexpr Time operator+(Time t, Duration d) { return Time{t.value() + d.value()}; }
constexpr Duration between(Time from, Time to) { return Duration{to.value() - from.value()}; }

constexpr GpuMilli kWholeGpu{1000};
constexpr Bytes mebibytes(std::int64_t n) { return Bytes{n << 20}; }
constexpr Bytes gibibytes(std::int64_t n) { return Bytes{n << 30}; }
constexpr Bytes gigabytes(std::int64_t n) { return Bytes{n * 1'000'000'000}; }

}  // namespace headroom::base
