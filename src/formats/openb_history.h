// The openb task lists as a history: when each task was created, scheduled and deleted (seconds
// from the begin of the trace, here from 1970-01-01T00:00Z). A task runs from scheduled_time to
// deletion_time; those that were never scheduled are left out, because how long they would have run
// is not known. Latency-sensitive tasks (qos LS) are services, the others batch jobs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/rows.h"
#include "model/history.h"

namespace headroom::formats {

base::Result<model::History> read_openb_history(const std::string& name, const std::string& text,
                                                Strictness strictness);

bool looks_like_openb_history(std::string_view text);

// The GPU models that the trace names.
std::vector<model::GpuModel> openb_models();

}  // namespace headroom::formats
