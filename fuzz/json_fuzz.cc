// Any bytes as JSON: an error, or a tree that is written and read again as the same text. The same
// bytes as the throughputs of the Philly-derived trace and as a file of the time zone database.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/gavel.h"
#include "formats/json.h"
#include "formats/json_parser.h"
#include "formats/time_zone.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  const std::string text(data, data + size);
  const auto throughputs = formats::read_gavel_throughputs("f", text);
  HEADROOM_ASSERT(throughputs || !throughputs.error().message.empty());
  if (const auto zone = formats::TimeZone::parse(text)) {
    zone->to_utc(base::Time{1'796'040'000'000});
  }
  const auto value = formats::parse_json("f", text);
  if (!value) {
    HEADROOM_ASSERT(!value.error().message.empty());
    return 0;
  }
  const std::string written = formats::print_json_line(*value);
  const auto again = formats::parse_json("f", written);
  HEADROOM_ASSERT(again && formats::print_json_line(*again) == written);
  return 0;
}
