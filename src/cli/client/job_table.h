// The columns of jobs, as `ps` shows them.
#pragma once

#include <vector>

#include "cli/client/output.h"

namespace headroom::cli {

std::vector<ItemColumn> job_columns();

// "4x8 H100-SXM": tasks, GPUs of all, model.
std::string gpus_cell(const Json& job);

// Where it runs, or why it does not: "(quota) research/vision holds 48 of 48 GPUs".
std::string place_or_reason(const Json& job);

// How long it has waited or run.
std::string time_cell(const Json& job);

bool is_final_state(std::string_view state);

}  // namespace headroom::cli
