#include "engine/local_cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "engine/posix.h"

namespace headroom::engine {

using base::Result;

namespace {

constexpr std::int64_t kPeriodUs = 100'000;
constexpr std::int64_t kSmallestQuotaUs = 1000;  // of the kernel
constexpr const char* kServer = "/headroom-server";

// A control file takes the whole value in one write.
Result<void> set(const std::string& path, std::string_view value) {
  Fd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return tl::unexpected(system_error("open " + path));
  if (write(file.get(), value.data(), value.size()) < 0)
    return tl::unexpected(system_error(fmt::format("write {} to {}", value, path)));
  return {};
}

bool has_word(const std::string& path, const std::string& word) {
  const auto text = read_file(path);
  if (!text) return false;
  std::istringstream words(*text);
  for (std::string one; words >> one;) {
    if (one == word) return true;
  }
  return false;
}

// The folder of the own group in the hierarchy with this controller; "": version 2.
std::string own_group(const std::string& root, const std::string& controller) {
  const auto groups = read_file(root + "/proc/self/cgroup");
  const auto mounts = read_file(root + "/proc/self/mountinfo");
  if (!groups || !mounts) return "";
  const auto has = [&](std::string list) {
    std::replace(list.begin(), list.end(), ',', ' ');
    std::istringstream words(list);
    for (std::string one; words >> one;) {
      if (one == controller) return true;
    }
    return false;
  };
  std::string path;
  std::istringstream group_lines(*groups);  // "4:memory:/user/1"
  for (std::string line; std::getline(group_lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string list = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? list.empty() : has(list)) path = line.substr(second + 1);
  }
  if (path.empty()) return "";
  std::istringstream mount_lines(*mounts);  // "… root point options - type source super-options"
  for (std::string line; std::getline(mount_lines, line);) {
    std::istringstream words(line);
    std::string id, parent, device, top, point, word, type, source, options;
    words >> id >> parent >> device >> top >> point;
    while (words >> word && word != "-") {
    }
    words >> type >> source >> options;
    if (controller.empty() ? type != "cgroup2" : type != "cgroup" || !has(options)) continue;
    if (path.size() >= top.size() && top != "/" && path.substr(0, top.size()) == top)
      path = path.substr(top.size());
    return root + point + (path == "/" ? "" : path);
  }
  return "";
}

bool make_group(const std::string& path) {
  return (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) &&
         access((path + "/cgroup.procs").c_str(), W_OK) == 0;
}

bool enable_controllers(const std::string& group) {
  return set(group + "/cgroup.subtree_control", "+cpu +memory").has_value();
}

// Version 2: `own` may hold no processes when it hands its controllers on.
bool hand_controllers_down(const std::string& own, const std::string& base) {
  if (!has_word(own + "/cgroup.controllers", "cpu") ||
      !has_word(own + "/cgroup.controllers", "memory"))
    return false;
  if (!enable_controllers(own)) {
    if (!make_group(own + kServer) ||
        !set(own + kServer + "/cgroup.procs", std::to_string(getpid())) || !enable_controllers(own))
      return false;
  }
  return enable_controllers(base);
}

std::string rank_group(const std::string& group, const LocalTask& task) {
  return fmt::format("{}/rank-{}", group, task.rank);
}

std::int64_t counter(const std::string& path, std::string_view name) {
  const auto text = read_file(path);
  if (!text) return 0;
  std::istringstream lines(*text);
  std::string key;
  for (std::int64_t value = 0; lines >> key >> value;) {
    if (key == name) return value;
  }
  return 0;
}

Result<void> limit_cpu(const std::string& group, std::int64_t milli, bool v2) {
  const std::int64_t quota = std::max(milli * kPeriodUs / 1000, kSmallestQuotaUs);
  if (v2) return set(group + "/cpu.max", fmt::format("{} {}", quota, kPeriodUs));
  if (auto done = set(group + "/cpu.cfs_period_us", std::to_string(kPeriodUs)); !done) return done;
  return set(group + "/cpu.cfs_quota_us", std::to_string(quota));
}

Result<void> limit_memory(const std::string& group, std::int64_t bytes, bool v2) {
  if (v2) {
    // Without swap accounting there is no such file, and no way to forbid it.
    (void)set(group + "/memory.swap.max", "0");
    if (auto done = set(group + "/memory.oom.group", "1"); !done) return done;
    return set(group + "/memory.max", std::to_string(bytes));
  }
  if (auto done = set(group + "/memory.limit_in_bytes", std::to_string(bytes)); !done) return done;
  (void)set(group + "/memory.memsw.limit_in_bytes", std::to_string(bytes));
  return {};
}

}  // namespace

CgroupBases find_cgroups(const std::string& name, const std::string& root) {
  CgroupBases bases;
  const std::string last = "/headroom-" + name;
  std::string own = own_group(root, "");
  if (own.ends_with(kServer)) own.resize(own.size() - std::string_view(kServer).size());
  if (!own.empty() && make_group(own + last)) {
    bases.all = own + last;
    if (hand_controllers_down(own, bases.all)) bases.cpu = bases.memory = bases.all;
  }
  const auto version_1 = [&](const char* controller, std::string& base) {
    const std::string group = own_group(root, controller);
    if (base.empty() && !group.empty() && make_group(group + last)) base = group + last;
  };
  version_1("cpu", bases.cpu);
  version_1("memory", bases.memory);
  return bases;
}

void leave_cgroups(const CgroupBases& bases) {
  for (const std::string* base : {&bases.all, &bases.cpu, &bases.memory}) {
    if (!base->empty()) rmdir(base->c_str());
  }
}

std::vector<std::string> AllocationGroups::folders() const {
  std::vector<std::string> result;
  for (const std::string* group : {&plan_->group_all, &plan_->group_cpu, &plan_->group_memory}) {
    if (!group->empty() && std::find(result.begin(), result.end(), *group) == result.end())
      result.push_back(*group);
  }
  return result;
}

Result<void> AllocationGroups::make() const {
  for (const std::string& folder : folders()) {
    if (!make_group(folder)) return tl::unexpected(system_error("make the group " + folder));
  }
  const auto limited = [&](const std::string& group, std::int64_t limit) {
    return !group.empty() && limit > 0;
  };
  bool handed_down = false;
  for (const LocalTask& task : plan_->tasks) {
    for (const auto& [group, limit] : {std::pair{plan_->group_cpu, task.cpu_milli},
                                       std::pair{plan_->group_memory, task.memory}}) {
      if (!limited(group, limit)) continue;
      const bool v2 = group == plan_->group_all;
      if (v2 && !handed_down && !enable_controllers(group))
        return tl::unexpected(system_error("hand down the controllers of " + group));
      handed_down |= v2;
      const std::string own = rank_group(group, task);
      if (!make_group(own)) return tl::unexpected(system_error("make the group " + own));
    }
    if (limited(plan_->group_cpu, task.cpu_milli)) {
      auto done = limit_cpu(rank_group(plan_->group_cpu, task), task.cpu_milli,
                            plan_->group_cpu == plan_->group_all);
      if (!done) return done;
    }
    if (limited(plan_->group_memory, task.memory)) {
      auto done = limit_memory(rank_group(plan_->group_memory, task), task.memory,
                               plan_->group_memory == plan_->group_all);
      if (!done) return done;
    }
  }
  return {};
}

std::string AllocationGroups::place(const std::string& folder, const LocalTask& task) const {
  const std::string own = rank_group(folder, task);
  // With version 2 a group that has groups of its own takes no processes.
  return exists(own) ? own : folder;
}

pid_t AllocationGroups::fork_into(const LocalTask& task) const {
  if (plan_->group_all.empty()) return fork();
  const Fd group(open(place(plan_->group_all, task).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!group.valid()) return -1;
  clone_args arguments{};
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<std::uint64_t>(group.get());
  const auto pid = static_cast<pid_t>(syscall(SYS_clone3, &arguments, sizeof arguments));
  if (pid >= 0 || errno == EAGAIN || errno == ENOMEM) return pid;
  const pid_t plain = fork();  // forbidden (in a container), or an older kernel
  if (plain == 0 && !set(place(plan_->group_all, task) + "/cgroup.procs", "0")) _exit(127);
  return plain;
}

Result<void> AllocationGroups::join(const LocalTask& task) const {
  for (const std::string& folder : folders()) {
    if (folder == plan_->group_all) continue;
    if (auto done = set(place(folder, task) + "/cgroup.procs", "0"); !done) return done;
  }
  return {};
}

std::int64_t AllocationGroups::out_of_memory(const LocalTask& task) const {
  if (plan_->group_memory.empty() || task.memory == 0) return 0;
  const std::string own = rank_group(plan_->group_memory, task);
  return counter(
      own + (plan_->group_memory == plan_->group_all ? "/memory.events" : "/memory.oom_control"),
      "oom_kill");
}

std::vector<pid_t> AllocationGroups::processes() const {
  std::vector<pid_t> result;
  const auto take = [&](const std::string& group) {
    const auto text = read_file(group + "/cgroup.procs");
    if (!text) return;
    std::istringstream lines(*text);
    for (pid_t pid = 0; lines >> pid;) result.push_back(pid);
  };
  for (const std::string& folder : folders()) {
    take(folder);
    for (const LocalTask& task : plan_->tasks) take(rank_group(folder, task));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

bool AllocationGroups::kill() const {
  return !plan_->group_all.empty() && set(plan_->group_all + "/cgroup.kill", "1").has_value();
}

void AllocationGroups::remove() const {
  for (const std::string& folder : folders()) {
    for (const LocalTask& task : plan_->tasks) rmdir(rank_group(folder, task).c_str());
    rmdir(folder.c_str());
  }
}

}  // namespace headroom::engine
