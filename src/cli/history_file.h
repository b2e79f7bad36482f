// What verbs share that write a history of jobs or a cluster.
#pragma once

#include <string>

#include "model/history.h"

namespace headroom::cli {

// The form that a file's name asks for: csv, jsonl or yaml; csv where it does not say.
std::string form_of_file(const std::string& path);

// `form`: csv, jsonl, yaml or sacct.
std::string history_text(const model::History& history, const std::string& form);

// Writes the whole file, or standard output where the path is empty. Returns an exit code; what
// went wrong is told on standard error.
int write_out(const std::string& path, const std::string& text);

}  // namespace headroom::cli
