// Any bytes as an openb task list: an error, or tasks sorted by name.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/openb.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  const std::string text(data, data + size);
  const auto strict = formats::read_openb_tasks("f", text, {});
  const auto lenient = formats::read_openb_tasks("f", text, {.lenient = true});
  if (!lenient) {
    HEADROOM_ASSERT(!strict);
    return 0;
  }
  HEADROOM_ASSERT(strict.has_value() == (lenient->skipped == 0));
  const auto by_name = [](const model::Task& a, const model::Task& b) { return a.name < b.name; };
  HEADROOM_ASSERT(std::is_sorted(lenient->value.begin(), lenient->value.end(), by_name));
  return 0;
}
