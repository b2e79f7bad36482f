#include "cli/client/job_table.h"

#include <fmt/format.h>

#include "cli/client/values.h"

namespace headroom::cli {

namespace {

std::string moment(const Json& job, const char* key) {
  const auto time = time_of(text_of(job, key));
  return time ? local_time(*time, now()) : "-";
}

ItemColumn column(std::string key, std::string title) {
  return {.key = std::move(key), .title = std::move(title)};
}

}  // namespace

bool is_final_state(std::string_view state) {
  return state == "completed" || state == "failed" || state == "cancelled" ||
         state == "timed_out" || state == "rejected" || state == "lost";
}

std::string gpus_cell(const Json& job) {
  const Json* const gpus = field_at(job, "gpus");
  const std::string text = cell_text(gpus);
  const Json* const model = field_at(job, "gpu_model");
  const bool has_model = model != nullptr && !model->empty() && *model != "";
  return has_model && text != "0" ? text + " " + cell_text(model) : text;
}

std::string time_cell(const Json& job) {
  const auto submitted = time_of(text_of(job, "submitted"));
  const auto started = time_of(text_of(job, "started"));
  const auto ended = time_of(text_of(job, "ended"));
  const auto from = started ? started : submitted;
  if (!from) return "-";
  const base::Time to = ended ? *ended : now();
  return short_duration(base::Duration{to.value() - from->value()});
}

std::string place_or_reason(const Json& job) {
  const Json* const reason = field_at(job, "reason");
  if (reason != nullptr && reason->is_object()) {
    return fmt::format("({}) {}", text_of(*reason, "code"), text_of(*reason, "text"));
  }
  const Json* const nodes = field_at(job, "nodes");
  std::string text = nodes == nullptr || nodes->empty() ? "" : cell_text(nodes);
  for (const auto& [key, word] :
       {std::pair{"exit_code", "exit code"}, std::pair{"signal", "signal"}}) {
    const Json* const value = field_at(job, key);
    if (value == nullptr || !value->is_number_integer() || *value == 0) continue;
    text += fmt::format("{}({} {})", text.empty() ? "" : " ", word, value->get<int>());
  }
  return text;
}

std::vector<ItemColumn> job_columns() {
  std::vector<ItemColumn> columns{column("id", "ID"), column("name", "NAME"),
                                  column("queue", "QUEUE"), column("user", "USER"),
                                  column("state", "STATE")};
  columns.push_back({.key = "gpus", .title = "GPUS", .left = false, .cell = gpus_cell});
  columns.push_back({.key = "time", .title = "TIME", .left = false, .cell = time_cell});
  columns.push_back({.key = "where", .title = "NODES (REASON)", .cell = place_or_reason});
  ItemColumn tasks = column("tasks", "TASKS");
  ItemColumn priority = column("priority", "PRIORITY");
  tasks.left = priority.left = false;
  std::vector<ItemColumn> wide{column("kind", "KIND"), tasks, priority};
  for (const auto& [key, title] : {std::pair{"submitted", "SUBMITTED"},
                                   std::pair{"started", "STARTED"}, std::pair{"ended", "ENDED"}}) {
    wide.push_back({.key = key, .title = title, .cell = [key = std::string(key)](const Json& job) {
                      return moment(job, key.c_str());
                    }});
  }
  wide.push_back(column("exit_code", "EXIT"));
  for (ItemColumn& one : wide) {
    one.wide_only = true;
    columns.push_back(std::move(one));
  }
  return columns;
}

}  // namespace headroom::cli
