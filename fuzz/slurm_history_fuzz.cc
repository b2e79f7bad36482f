// Any bytes as what sacct, squeue or scontrol say of jobs: an error, or a history that can be told
// in our own form and in sacct's.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/history.h"
#include "formats/own_history.h"
#include "formats/sacct_writer.h"
#include "large_counts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  using formats::HistoryFormat;
  const std::string text(data, data + size);
  if (fuzz::has_large_count(text)) return 0;
  const auto strict = formats::read_history_text("f", text, HistoryFormat::kSacct, {});
  HEADROOM_ASSERT(strict || !strict.error().message.empty());
  const auto history = formats::read_history_text("f", text, HistoryFormat::kSacct,
                                                  {.strictness = {.lenient = true}});
  if (!history) {
    HEADROOM_ASSERT(!strict && !history.error().message.empty());
    return 0;
  }
  const auto again = formats::read_history_text("f", formats::write_history_csv(*history),
                                                HistoryFormat::kHeadroom, {});
  HEADROOM_ASSERT(again && again->jobs == history->jobs);
  const auto dump =
      formats::read_history_text("f", formats::write_sacct(*history), HistoryFormat::kSacct, {});
  HEADROOM_ASSERT(dump && dump->jobs.size() == history->jobs.size());
  return 0;
}
