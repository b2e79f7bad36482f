#include "engine/local_plan.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

namespace headroom::engine {

namespace {

using Json = nlohmann::json;

// One list of members for both ways: `each(name, member)`.
template <class Task, class Each>
void members_of_task(Task& task, Each each) {
  each("group", task.group);
  each("task", task.task);
  each("rank", task.rank);
  each("node", task.node);
  each("cpu_milli", task.cpu_milli);
  each("memory", task.memory);
  each("output", task.output);
  each("env", task.env);
}

template <class Plan, class Each>
void members_of_plan(Plan& plan, Each each) {
  each("job", plan.id.job.number);
  each("element", plan.id.job.element);
  each("attempt", plan.id.attempt);
  each("epoch", plan.epoch);
  each("boot", plan.boot);
  each("token", plan.token);
  each("user", plan.user);
  each("run", plan.run);
  each("workdir", plan.workdir);
  each("env", plan.env);
  each("checkpoint_signal", plan.checkpoint_signal);
  each("checkpoint_ms", plan.checkpoint_ms);
  each("limit_ms", plan.limit_ms);
  each("limit_grace_ms", plan.limit_grace_ms);
  each("failed_grace_ms", plan.failed_grace_ms);
  each("launch_ms", plan.launch_ms);
  each("umask", plan.umask);
  each("group_all", plan.group_all);
  each("group_cpu", plan.group_cpu);
  each("group_memory", plan.group_memory);
  each("logs", plan.logs);
  each("log_segment", plan.log_segment);
  each("log_segments", plan.log_segments);
}

template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 0;
}

}  // namespace

std::string print_plan(const LocalPlan& plan) {
  Json document;
  members_of_plan(plan, [&](const char* name, const auto& member) { document[name] = member; });
  document["tasks"] = Json::array();
  for (const LocalTask& task : plan.tasks) {
    Json& one = document["tasks"].emplace_back();
    members_of_task(task, [&](const char* name, const auto& member) { one[name] = member; });
  }
  return document.dump();
}

base::Result<LocalPlan> parse_plan(const std::string& text) {
  try {
    const Json document = Json::parse(text);
    LocalPlan plan;
    members_of_plan(plan,
                    [&](const char* name, auto& member) { document.at(name).get_to(member); });
    for (const Json& one : document.at("tasks")) {
      LocalTask& task = plan.tasks.emplace_back();
      members_of_task(task, [&](const char* name, auto& member) { one.at(name).get_to(member); });
    }
    return plan;
  } catch (const Json::exception& error) {
    // Not what() of a parse error: it quotes the text, which may hold a secret.
    return base::fail(fmt::format("the plan is damaged (error {})", error.id));
  }
}

std::string job_name(const model::JobId& id) {
  return id.element < 0 ? fmt::format("{}", id.number)
                        : fmt::format("{}.{}", id.number, id.element);
}

std::string allocation_name(const model::AllocationId& id) {
  return fmt::format("{}-{}", job_name(id.job), id.attempt);
}

std::optional<model::AllocationId> parse_allocation_name(std::string_view name) {
  model::AllocationId id;
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::string_view job = name.substr(0, dash);
  if (const std::size_t dot = job.find('.'); dot != std::string_view::npos) {
    if (!parse_number(job.substr(dot + 1), id.job.element)) return std::nullopt;
    job = job.substr(0, dot);
  }
  if (!parse_number(job, id.job.number) || !parse_number(name.substr(dash + 1), id.attempt))
    return std::nullopt;
  return id;
}

}  // namespace headroom::engine
