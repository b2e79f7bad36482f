// job.yaml: what a user asks for. A file holds one job, several separated by ---, or a list of
// jobs. Each problem is one line of the error.
//
//   auto jobs = read_job_yaml("job.yaml", text, known_products());
//   read_job_yaml("again", write_job_yaml(*jobs), known_products()) == jobs
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/known.h"
#include "formats/value.h"
#include "model/job.h"

namespace headroom::formats {

// At least one job. `name` is used in messages only. A GPU wish (H100) becomes the names of all
// products that it stands for.
base::Result<std::vector<model::Job>> read_job_yaml(const std::string& name,
                                                    const std::string& text, const Known& known);

// The same keys as JSON: one job, or a list of jobs.
base::Result<std::vector<model::Job>> read_job_json(const std::string& name,
                                                    const std::string& text, const Known& known);

// Documents separated by ---.
std::string write_job_yaml(const std::vector<model::Job>& jobs);

// JSON Schema (draft 2020-12) of one job, made from the same table that reads it.
Value job_schema();

}  // namespace headroom::formats
