// Any bytes as a log in Standard Workload Format, an openb task list and a tenant of the
// Philly-derived trace: an error, or jobs that can be told in our own form.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "formats/gavel.h"
#include "formats/history.h"
#include "formats/own_history.h"

namespace {

void check(const headroom::model::History& history) {
  using namespace headroom;
  const auto again = formats::read_history_text("f", formats::write_history_csv(history),
                                                formats::HistoryFormat::kHeadroom, {});
  HEADROOM_ASSERT(again && again->jobs == history.jobs);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  using formats::HistoryFormat;
  const std::string text(data, data + size);
  for (const HistoryFormat format : {HistoryFormat::kSwf, HistoryFormat::kOpenb}) {
    for (const bool lenient : {false, true}) {
      const auto history = formats::read_history_text(
          "f", text, format, {.strictness = {lenient}, .processors_are_gpus = size % 2 == 0});
      if (history) check(*history);
    }
  }
  const formats::GavelThroughputs throughputs{{"('A3C', 1)", 0.5}, {"('A3C', 8)", 3}};
  model::History history;
  const auto done =
      formats::read_gavel_tenant("t.trace", text, throughputs, {.lenient = true}, history);
  HEADROOM_ASSERT(done);
  history.sort_jobs();
  for (model::HistoricJob& one : history.jobs) one.id = one.job.job;
  check(history);
  return 0;
}
