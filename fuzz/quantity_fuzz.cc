// Any bytes as every kind of quantity, name pattern and time; what is read is printed and read
// again.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/names.h"
#include "formats/quantity.h"
#include "formats/time.h"

namespace {

template <class T>
void round_trip(const std::string& text, headroom::base::Result<T> (*parse)(std::string_view),
                std::string (*print)(T)) {
  const auto value = parse(text);
  if (!value) return;
  const auto again = parse(print(*value));
  HEADROOM_ASSERT(again && *again == *value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom::formats;
  const std::string text(data, data + size);
  round_trip(text, parse_bytes, print_bytes);
  round_trip(text, parse_rate, print_rate);
  round_trip(text, parse_rate, print_bit_rate);
  round_trip(text, parse_power, print_power);
  round_trip(text, parse_duration, print_duration);
  round_trip(text, parse_bytes_per_step, print_bytes_per_step);
  round_trip(text, parse_operations, print_operations);
  round_trip(text, parse_cores, print_cores);
  round_trip(text, parse_share, print_share);
  round_trip(text, parse_time, print_time);
  if (const auto permille = parse_permille(text, 0, 1'000'000)) {
    const auto again = parse_permille(print_permille(*permille), 0, 1'000'000);
    HEADROOM_ASSERT(again && *again == *permille);
  }
  (void)parse_range(text);
  if (size < 20) (void)expand_names(text);
  return 0;
}
