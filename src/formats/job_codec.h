// The keys of job.yaml: the table that reads it, writes it and makes its schema.
#pragma once

#include "formats/codec.h"
#include "model/job.h"

namespace headroom::formats {

const Codec<model::Job>& job_codec();
// One item of `groups`, and one row of our own tasks.csv.
const Codec<model::TaskGroup>& group_codec();

}  // namespace headroom::formats
