// What `submit` and `run` take: a job.yaml, a script with #SBATCH or #HR lines, or a command behind
// --, and flags for keys of job.yaml, which win over what a file says.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "formats/batch_script.h"
#include "formats/value.h"

namespace headroom::cli {

struct JobFlags {
  std::string file;
  std::vector<std::string> command;
  std::map<std::string, std::string> keys;  // of job.yaml, by flag; empty: not given
  std::vector<std::string> env;             // NAME=VALUE, or NAME for its value here
  std::vector<std::string> settings;        // key=value, key.part=value
  bool hold = false;
  bool exclusive = false;
  std::string queue_from = "account";
};

std::vector<Flag> job_flags(JobFlags& flags);

struct JobDocument {
  std::string place;  // "job.yaml", "job.yaml, job 2", "the command line"
  std::string text;   // a job.yaml
};

struct JobSource {
  std::vector<JobDocument> jobs;  // at least one
  bool is_script = false;
  formats::BatchScript script;  // what became of its flags
};

// Reads what was asked for. Errors name the file and line, or the flag.
base::Result<JobSource> read_job_source(const JobFlags& flags);

// For --explain-import: a line for every flag of the script.
std::string explained(const formats::BatchScript& script, const std::string& path);

}  // namespace headroom::cli
