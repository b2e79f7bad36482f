#include "engine/local_launch.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace headroom::engine {

using base::fail;
using base::Result;

namespace {

constexpr int kFirstPort = 20000;
constexpr int kPorts = 10000;  // Linux gives outgoing connections ports from 32768 on

// "USR1", "SIGUSR1" -> 10; 0: there is none.
int signal_number(std::string name) {
  if (name.starts_with("SIG")) name = name.substr(3);
  for (int number = 1; number < NSIG; ++number) {
    const char* abbreviation = sigabbrev_np(number);
    if (abbreviation != nullptr && name == abbreviation) return number;
  }
  return 0;
}

// What cannot be handed to a process, or not be written down as JSON.
Result<void> check_text(const char* what, const std::string& text) {
  if (text.find('\0') == std::string::npos) return {};
  return fail(fmt::format("{} contains a zero byte", what));
}

Result<void> check_texts(const model::Job& job) {
  for (const auto& [what, text] :
       {std::pair{"run", &job.run}, std::pair{"workdir", &job.workdir},
        std::pair{"output", &job.output}, std::pair{"user", &job.user}}) {
    if (auto checked = check_text(what, *text); !checked) return checked;
  }
  if (job.run.empty()) return fail("the job has nothing to run");
  for (const auto& [name, value] : job.env) {
    if (auto checked = check_text("env", name + value); !checked) return checked;
    if (name.empty() || name.find('=') != std::string::npos)
      return fail(fmt::format("env: '{}' is not a name of a variable", name));
  }
  return {};
}

std::int64_t whole_gpus(const std::vector<model::DeviceUse>& devices) {
  return static_cast<std::int64_t>(devices.size());
}

Result<Variables> variables_of(const Launch& launch, const TaskLaunch& task,
                               const LocalDevices& devices, int port) {
  auto visible = devices.visible(task.devices);
  if (!visible) return tl::unexpected(visible.error());
  Variables env = {
      {"HEADROOM_JOB_ID", job_name(launch.id.job)},
      {"HEADROOM_JOB_NAME", launch.job.job},
      {"HEADROOM_CLUSTER", launch.cluster},
      {"HEADROOM_QUEUE", launch.job.queue},
      {"HEADROOM_ATTEMPT", fmt::format("{}", launch.id.attempt)},
      {"HEADROOM_RANK", fmt::format("{}", task.rank)},
      {"HEADROOM_TASKS", fmt::format("{}", launch.tasks.size())},
      {"HEADROOM_NODE", task.node},
      {"HEADROOM_GPUS", fmt::format("{}", whole_gpus(task.devices))},
      {"HEADROOM_MASTER_ADDR", "127.0.0.1"},
      {"HEADROOM_MASTER_PORT", fmt::format("{}", port)},
      {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
      {"CUDA_VISIBLE_DEVICES", *visible},
  };
  if (launch.id.job.element >= 0)
    env.emplace_back("HEADROOM_ARRAY_ELEMENT", fmt::format("{}", launch.id.job.element));
  const auto group = static_cast<std::size_t>(task.group);
  if (!launch.job.groups[group].name.empty())
    env.emplace_back("HEADROOM_GROUP", launch.job.groups[group].name);
  // A part of a GPU is kept apart by agreement only: the task is told its share.
  if (task.devices.size() == 1 && task.devices[0].share < base::kWholeGpu)
    env.emplace_back("HEADROOM_GPU_SHARE", fmt::format("{}m", task.devices[0].share.value()));
  return env;
}

}  // namespace

int free_port(std::uint64_t seed) {
  const int first = static_cast<int>(seed % kPorts);
  for (int i = 0; i < kPorts; ++i) {
    const int port = kFirstPort + (first + i) % kPorts;
    Fd probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!probe.valid()) return 0;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    if (bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return port;
  }
  return 0;
}

std::string fill_in(const std::string& pattern, const Launch& launch, std::int64_t rank) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char key = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (key == 'j') {
      text += job_name(launch.id.job);
    } else if (key == 'a') {
      text += fmt::format("{}",
                          launch.id.job.element < 0 ? launch.id.job.number : launch.id.job.element);
    } else if (key == 'x') {
      // A name is no path.
      for (const char c : launch.job.job) text += c == '/' ? '_' : c;
    } else if (key == 't') {
      text += fmt::format("{}", rank);
    } else if (key == '%') {
      text += '%';
    } else {
      text += pattern[i];
      continue;
    }
    ++i;
  }
  return text;
}

Result<LocalPlan> make_plan(const Launch& launch, const LocalOptions& options,
                            const LocalFolder& folder, const LocalDevices& devices,
                            const CgroupBases& groups) {
  const model::Job& job = launch.job;
  if (auto checked = check_texts(job); !checked) return tl::unexpected(checked.error());
  if (launch.tasks.empty()) return fail("the launch has no tasks");
  LocalPlan plan;
  plan.id = launch.id;
  plan.epoch = launch.epoch;
  plan.boot = boot_id();
  plan.token = random_hex(16);
  plan.user = job.user;
  plan.run = job.run;
  plan.workdir = job.workdir;
  plan.env = job.env;
  if (job.checkpoint && !job.checkpoint->signal.name.empty()) {
    plan.checkpoint_signal = signal_number(job.checkpoint->signal.name);
    plan.checkpoint_ms = job.checkpoint->signal.before.value();
    if (plan.checkpoint_signal == 0)
      return fail(fmt::format("checkpoint: there is no signal '{}'", job.checkpoint->signal.name));
  }
  plan.limit_ms = launch.limit.value();
  plan.limit_grace_ms = options.limit_grace.value();
  plan.failed_grace_ms = options.failed_grace.value();
  plan.launch_ms = options.launch_time.value();
  plan.umask = options.umask;
  // The token keeps the groups of several servers on one machine apart.
  const std::string own = "/" + allocation_name(launch.id) + "." + plan.token.substr(0, 8);
  if (!groups.all.empty()) plan.group_all = groups.all + own;
  const auto any = [&](const auto& asks) {
    return std::any_of(launch.tasks.begin(), launch.tasks.end(), [&](const TaskLaunch& task) {
      const auto group = static_cast<std::size_t>(task.group);
      return group < job.groups.size() && asks(job.groups[group].request);
    });
  };
  // To enter a group costs milliseconds: only where there is something to limit.
  if (!groups.cpu.empty() && any([](const auto& r) { return r.cpu.value() > 0; }))
    plan.group_cpu = groups.cpu + own;
  if (!groups.memory.empty() && any([](const auto& r) { return r.memory.value() > 0; }))
    plan.group_memory = groups.memory + own;
  plan.logs = folder.logs(launch.id);
  plan.log_segment = options.log_segment;
  plan.log_segments = options.log_segments;
  const int port = launch.tasks.size() == 1
                       ? 0
                       : free_port(static_cast<std::uint64_t>(launch.id.job.number * 16));
  for (const TaskLaunch& task : launch.tasks) {
    const auto group = static_cast<std::size_t>(task.group);
    if (group >= job.groups.size())
      return fail(fmt::format("a task of group {}: the job has {}", group, job.groups.size()));
    LocalTask& local = plan.tasks.emplace_back();
    local.group = task.group;
    local.task = task.task;
    local.rank = task.rank;
    local.node = task.node;
    local.cpu_milli = job.groups[group].request.cpu.value();
    local.memory = job.groups[group].request.memory.value();
    local.output = fill_in(job.output, launch, task.rank);
    auto env = variables_of(launch, task, devices, port);
    if (!env) return tl::unexpected(env.error());
    local.env = std::move(*env);
  }
  return plan;
}

}  // namespace headroom::engine
