// The tables of `headroom simulate`, for the terminal and for its page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/simulate.h"
#include "cli/table.h"

namespace headroom::cli {

// A row for each run.
Table runs_table(const std::vector<SimulateRun>& runs);
// GPU hours that were idle while jobs waited, by why; none when there were none.
std::optional<Table> idle_table(const std::vector<SimulateRun>& runs);
// Mean pinball loss of the predictions of run times, beside that of their rivals.
Table prediction_table(const std::vector<SimulateRun>& runs);
// A row for each queue of a run.
Table queue_table(const SimulateRun& run);

// "Rejected (fifo): 2 above_queue_limit.", for the first run that has any; empty: none has.
std::string rejections(const std::vector<SimulateRun>& runs);

// "easy, headroom_learned, seed 1, nodes=42"
std::string name_of(const SimulateRun& run);

}  // namespace headroom::cli
