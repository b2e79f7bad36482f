// Why a job does not run, in words with numbers, for people; and a code for programs.
#pragma once

#include <string>

#include "schedule/reason.h"
#include "schedule/state.h"

namespace headroom::server::api {

// Codes: resources, fragmentation, topology, reservation, window, quota, user_limit, guarantee,
// array_limit, order, hold, begin, dependency, not_looked_at. Both are empty for a job that runs.
struct ReasonText {
  std::string code;
  std::string text;
};

// `reason`: of the last cycle, for a job that waits. O(1), a job with dependencies O(those).
ReasonText explain(const schedule::State& state, schedule::JobSlot job,
                   const schedule::Reason& reason);

// "8 GPUs", "0.5 GPUs", "1 GPU", or cores in the pool of jobs without GPUs.
std::string amount_text(const schedule::State& state, schedule::PoolId pool, std::int64_t milli);

// Why a job can never run: of a rejected one.
std::string rejection_text(model::RejectJob::Reason reason, std::int64_t needs, std::int64_t most);

}  // namespace headroom::server::api
