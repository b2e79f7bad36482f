// What a job must satisfy beyond the form of its keys. Problems go to the context.
#pragma once

#include "formats/context.h"
#include "model/job.h"

namespace headroom::formats {

// Short form or groups, not both; groups have names; the gang, the elastic range and the segments
// fit the number of tasks; the deadline is not before the beginning.
void check_job(const model::Job& job, const Value& value, Context& context);

}  // namespace headroom::formats
