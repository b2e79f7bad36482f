// Any bytes as a cluster.yaml: an error, or a site that is written and read again as the same.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/build_cluster.h"
#include "formats/catalogue.h"
#include "formats/cluster_yaml.h"
#include "large_counts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  static const formats::Known known = formats::known_products();
  const std::string text(data, data + size);
  if (fuzz::has_large_count(text)) return 0;
  const auto site = formats::read_cluster_yaml("f", text, known);
  if (!site) {
    HEADROOM_ASSERT(!site.error().message.empty());
    return 0;
  }
  const auto again = formats::read_cluster_yaml("f", formats::write_cluster_yaml(*site), known);
  HEADROOM_ASSERT(again && *again == *site);
  std::int64_t nodes = 0;
  for (const model::PoolSpec& pool : site->nodes) nodes += pool.count;
  const auto cluster = formats::build_cluster(*site, formats::built_in_catalogue());
  HEADROOM_ASSERT(!cluster || static_cast<std::int64_t>(cluster->nodes.size()) == nodes);
  return 0;
}
