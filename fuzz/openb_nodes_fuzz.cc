// Any bytes as an openb node list: an error or a cluster that keeps its rules, strict and lenient.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/openb.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  const std::string text(data, data + size);
  const auto strict = formats::read_openb_nodes("f", text, {});
  const auto lenient = formats::read_openb_nodes("f", text, {.lenient = true});
  if (!lenient) {
    HEADROOM_ASSERT(!strict);
    return 0;
  }
  HEADROOM_ASSERT(strict.has_value() == (lenient->skipped == 0));
  for (const model::NodeShape& shape : lenient->value.shapes) {
    HEADROOM_ASSERT(shape.gpus >= 0 && shape.gpus <= model::kMaxGpusPerNode);
    HEADROOM_ASSERT(shape.gpu_model.valid() == (shape.gpus > 0));
  }
  return 0;
}
