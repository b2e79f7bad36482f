// Any bytes beside a small slurm.conf: an error, or a site (which the importer itself reads again).
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/slurm_cluster.h"
#include "large_counts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  const std::string text(data, data + size);
  if (fuzz::has_large_count(text)) return 0;
  const auto imported = formats::import_slurm_texts(
      {{"base", "ClusterName=c\nNodeName=n[1-4] CPUs=8 RealMemory=4 Gres=gpu:h100:8\n"},
       {"f", text}},
      {});
  if (imported) return 0;
  const std::string& message = imported.error().message;
  HEADROOM_ASSERT(!message.empty() && !message.starts_with("the imported site does not hold"));
  return 0;
}
