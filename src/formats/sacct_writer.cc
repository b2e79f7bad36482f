#include "formats/sacct_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/spelling.h"
#include "formats/time.h"

namespace headroom::formats {

using model::HistoricJob;
using model::Outcome;

namespace {

constexpr const char* kHeader =
    "JobID|JobName|User|Account|Partition|QOS|Cluster|State|Reason|Submit|Eligible|Start|End|"
    "Elapsed|"
    "Timelimit|ReqTRES|AllocTRES|NNodes|NodeList|Restarts|SubmitLine\n";

std::string time_text(base::Time time) {
  if (time == base::Time{}) return "Unknown";
  std::string text = print_time(time);
  text.pop_back();  // the Z
  return text;
}

std::string clock_text(base::Duration duration) {
  const std::int64_t seconds = duration.value() / 1000;
  const std::int64_t days = seconds / 86'400;
  const std::string clock =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  return days > 0 ? fmt::format("{}-{}", days, clock) : clock;
}

const char* state_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "COMPLETED";
    case Outcome::kFailed:
      return "FAILED";
    case Outcome::kCancelled:
      return "CANCELLED";
    case Outcome::kRejected:
      return "CANCELLED";
    case Outcome::kTimedOut:
      return "TIMEOUT";
    case Outcome::kNodeFailed:
      return "NODE_FAIL";
    case Outcome::kPreempted:
      return "PREEMPTED";
    case Outcome::kOutOfMemory:
      return "OUT_OF_MEMORY";
    case Outcome::kRunning:
      return "RUNNING";
    case Outcome::kWaiting:
      return "PENDING";
    case Outcome::kHeld:
      return "PENDING";
  }
  return "COMPLETED";
}

// "h100" for H100-SXM, H100-PCIe and H100-NVL; empty where the models have no name in common.
std::string type_of(const std::vector<std::string>& models) {
  if (models.empty()) return "";
  const std::string prefix = models[0].substr(0, models[0].find('-'));
  const bool common = std::all_of(models.begin(), models.end(), [&](const std::string& one) {
    return one.substr(0, one.find('-')) == prefix;
  });
  return common ? lower_case(models.size() == 1 ? models[0] : prefix) : "";
}

std::string tres_text(const HistoricJob& one, std::int64_t nodes) {
  std::int64_t cpu_milli = 0;
  std::int64_t bytes = 0;
  std::string type;
  for (const model::TaskGroup& group : one.job.groups) {
    cpu_milli += group.tasks * group.request.cpu.value();
    bytes += group.tasks * group.request.memory.value();
    if (type.empty()) type = type_of(group.request.gpu_models);
  }
  std::string text = fmt::format("cpu={}", std::max<std::int64_t>((cpu_milli + 999) / 1000, 1));
  if (bytes > 0) text += fmt::format(",mem={}K", (bytes + 1023) / 1024);
  text += fmt::format(",node={}", nodes);
  const std::int64_t gpus = model::gpus_of(one.job);
  if (gpus > 0 && !type.empty()) text += fmt::format(",gres/gpu:{}={}", type, gpus);
  if (gpus > 0) text += fmt::format(",gres/gpu={}", gpus);
  return text;
}

// A field may hold neither a separator nor a line break.
std::string field(std::string text) {
  for (char& c : text) {
    if (c == '|' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string submit_line(const HistoricJob& one) {
  constexpr const char* kKinds[] = {"afterok", "afterany", "afternotok", "after"};
  std::string after;
  for (const model::Dependency& dependency : one.job.after) {
    if (!after.empty()) after += ',';
    after +=
        fmt::format("{}:{}", kKinds[static_cast<std::size_t>(dependency.kind)], dependency.job);
  }
  return after.empty() ? "" : "sbatch --dependency=" + after;
}

}  // namespace

std::string write_sacct(const model::History& history) {
  std::string out = kHeader;
  for (const HistoricJob& one : history.jobs) {
    const bool has_run = one.start > base::Time{};
    const std::int64_t nodes = one.nodes > 0 ? one.nodes : one.job.tasks();
    const std::string tres = tres_text(one, nodes);
    const base::Time eligible = one.eligible > base::Time{} ? one.eligible : one.submit;
    out += fmt::format(
        "{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}\n", field(one.id),
        field(one.job.name.empty() ? one.job.job : one.job.name), field(one.job.user),
        field(one.account.empty() ? one.job.queue : one.account), field(one.partition),
        field(one.qos), field(history.cluster), state_text(one.outcome),
        one.outcome == Outcome::kHeld ? "JobHeldUser" : "None", time_text(one.submit),
        time_text(eligible), time_text(one.start), time_text(one.end), clock_text(one.run),
        one.job.time > base::Duration{} ? clock_text(one.job.time) : "UNLIMITED", tres,
        has_run ? tres : "", nodes, has_run ? field(one.node_names) : "None assigned", one.restarts,
        field(submit_line(one)));
  }
  return out;
}

}  // namespace headroom::formats
