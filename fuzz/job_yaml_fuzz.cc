// Any bytes as a job.yaml: an error, or jobs that are written and read again as the same.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/job_yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  static const formats::Known known = formats::known_products();
  const auto jobs = formats::read_job_yaml("f", std::string(data, data + size), known);
  if (!jobs) {
    HEADROOM_ASSERT(!jobs.error().message.empty());
    return 0;
  }
  const auto again = formats::read_job_yaml("f", formats::write_job_yaml(*jobs), known);
  HEADROOM_ASSERT(again && *again == *jobs);
  return 0;
}
