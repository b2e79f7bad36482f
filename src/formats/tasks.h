// Task lists of our own: a CSV with a row for each group of equal tasks,
//
//   name,tasks,gpus,cpus,memory,gpu_model,gpu_memory,labels,exclusive
//   train,16,8,96,1TiB,H100|H200,,zone=a;disk=fast,
//   probe,4,250m,2,8GiB,,,,
//
// where only `name` must be there, and jobs as job.yaml says them. Values are spelled as in
// job.yaml. The tasks of a group of several are named name/1, name/2, … and those of a job with
// groups job/group/1, …; an array's elements job.0, job.1, ….
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/known.h"
#include "formats/rows.h"
#include "model/job.h"
#include "model/request.h"

namespace headroom::formats {

constexpr std::int64_t kMostTasksOfAFile = 10'000'000;

// Sorted by name.
base::Result<Rows<std::vector<model::Task>>> read_tasks_csv(const std::string& name,
                                                            const std::string& text,
                                                            const Known& known, Strictness);

// Every task of the jobs, sorted by name. Error: more than kMostTasksOfAFile.
base::Result<std::vector<model::Task>> tasks_of(const std::vector<model::Job>& jobs);

bool looks_like_tasks_csv(const std::string& text);

}  // namespace headroom::formats
