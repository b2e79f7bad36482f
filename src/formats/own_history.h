// Our own form of a job history, for people to write and for `import` to make: the keys of job.yaml
// and, beside them, what happened to the job. Times are 2026-11-30T12:00:00Z (or with a fraction:
// …:00.250Z), durations 90min or 1-12:00:00.
//
//   submit        when it was submitted; the only key that must be there
//   id            unique; default: the number of the job in the file
//   number        what dependencies (`after`) name; default: the id, when it is a number
//   element       index in its array
//   eligible      when dependencies and begin time were met
//   start, end    of the last attempt
//   ran           how long a replay lets it run; default: end - start
//   outcome       completed, failed, cancelled, timed_out, node_failed, preempted, out_of_memory,
//                 rejected, running, waiting, held; default: completed
//   nodes, node_names, restarts; account, partition, qos (Slurm's)
//
// As JSON lines or YAML (a list) every key stands as in job.yaml. In a CSV each scalar key is a
// column; `gpu_model` and `after` separate their values by `|`; what is left over (groups, labels,
// checkpoint, …) is a JSON object in the column `more`:
//
//   id,submit,queue,user,gpus,ran,outcome,more
//   17,2026-11-30T12:00:00Z,research,ana,8,2h,completed,"{""checkpoint"": {""every"": ""30min""}}"
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/known.h"
#include "formats/rows.h"
#include "model/history.h"

namespace headroom::formats {

// Strict: the first problem is the error. Lenient: bad jobs are counted.
base::Result<model::History> read_history_csv(const std::string& name, const std::string& text,
                                              const Known& known, Strictness strictness);
base::Result<model::History> read_history_jsonl(const std::string& name, const std::string& text,
                                                const Known& known, Strictness strictness);
// Not lenient: a YAML that is wrong somewhere may mean anything elsewhere.
base::Result<model::History> read_history_yaml(const std::string& name, const std::string& text,
                                               const Known& known);

// Reading what was written gives the same jobs.
std::string write_history_csv(const model::History& history);
std::string write_history_jsonl(const model::History& history);
std::string write_history_yaml(const model::History& history);

bool looks_like_history_csv(std::string_view text);
bool looks_like_history_jsonl(std::string_view text);

}  // namespace headroom::formats
