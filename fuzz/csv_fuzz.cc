// Any bytes as our own task list in CSV.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/tasks.h"
#include "large_counts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  static const formats::Known known = formats::known_products();
  const std::string text(data, data + size);
  if (fuzz::has_large_count(text)) return 0;
  const auto strict = formats::read_tasks_csv("f", text, known, {});
  const auto lenient = formats::read_tasks_csv("f", text, known, {.lenient = true});
  HEADROOM_ASSERT(!strict || (lenient && lenient->skipped == 0));
  return 0;
}
