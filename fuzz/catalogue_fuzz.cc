// Any bytes as the hardware catalogue: an error, or products whose MIG profiles fit their slices.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/catalogue.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  const std::string text(data, data + size);
  (void)formats::read_reference_fabrics("f", text);
  const auto products = formats::read_products("f", text);
  if (!products) return 0;
  for (const model::Product& product : *products) {
    for (const model::MigProfile& profile : product.gpu.mig_profiles) {
      HEADROOM_ASSERT(profile.size > 0 && profile.max_per_gpu > 0);
      HEADROOM_ASSERT(profile.starts >> (product.gpu.mig_slices - profile.size + 1) == 0);
    }
  }
  return 0;
}
