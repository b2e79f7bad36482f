// The keys of our own job histories: those of job.yaml and those of what happened, side by side.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/known.h"
#include "formats/value.h"
#include "model/history.h"

namespace headroom::formats {

// The keys of what happened to a job, in order; `id`, `number` and `submit` are always written.
const std::vector<std::string>& happened_keys();

Value write_historic_job(const model::HistoricJob& one);

// `position` is the number of the job in its file, from 1: its id when it has none. Error: its
// first problem, in one line.
base::Result<model::HistoricJob> read_historic_job(const std::string& file, const Value& value,
                                                   std::int64_t position, const Known& known);

// What must hold in a whole history: ids are unique, and no jobs wait for each other in a circle.
base::Result<void> check_history(const std::string& file, const model::History& history);

}  // namespace headroom::formats
