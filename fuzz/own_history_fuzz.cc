// Any bytes as our own history: an error, or jobs that are written in each form and read again as
// the same.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/history.h"
#include "formats/own_history.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  using formats::HistoryFormat;
  const std::string text(data, data + size);
  const auto history = formats::read_history_text("f", text, HistoryFormat::kHeadroom, {});
  if (!history) {
    HEADROOM_ASSERT(!history.error().message.empty());
    const auto some = formats::read_history_text("f", text, HistoryFormat::kHeadroom,
                                                 {.strictness = {.lenient = true}});
    HEADROOM_ASSERT(some || !some.error().message.empty());
    return 0;
  }
  for (const std::string& form :
       {formats::write_history_csv(*history), formats::write_history_jsonl(*history),
        formats::write_history_yaml(*history)}) {
    if (history->jobs.empty()) continue;
    const auto again = formats::read_history_text("f", form, HistoryFormat::kHeadroom, {});
    HEADROOM_ASSERT(again && again->jobs == history->jobs);
  }
  return 0;
}
