#include "engine/processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <sstream>

#include "engine/posix.h"

namespace headroom::engine {

std::vector<pid_t> descendants() {
  std::vector<pid_t> found;
  const auto take = [&](pid_t process) {
    // Of every thread: the one that forked is the parent here.
    const auto threads = names_in(fmt::format("/proc/{}/task", process));
    if (!threads) return;  // it has ended
    for (const std::string& thread : *threads) {
      const auto text = read_file(fmt::format("/proc/{}/task/{}/children", process, thread));
      if (!text) continue;
      std::istringstream numbers(*text);
      for (pid_t child = 0; numbers >> child;) found.push_back(child);
    }
  };
  take(getpid());
  for (std::size_t i = 0; i < found.size(); ++i) take(found[i]);
  return found;
}

std::vector<pid_t> processes_with(const std::string& variable) {
  std::vector<pid_t> found;
  const auto names = names_in("/proc");
  if (!names) return found;
  for (const std::string& name : *names) {
    pid_t process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc{} || end != name.data() + name.size()) continue;
    const auto environment = read_file("/proc/" + name + "/environ");
    if (!environment) continue;
    const std::string text = '\0' + *environment + '\0';
    if (text.find('\0' + variable + '\0') != std::string::npos) found.push_back(process);
  }
  return found;
}

bool handles(pid_t process, int signal) {
  const auto status = read_file(fmt::format("/proc/{}/status", process));
  if (!status) return false;
  const auto value_of = [&](std::string_view key) {
    const std::size_t at = status->find("\n" + std::string(key) + ":\t");
    const std::size_t from = at == std::string::npos ? status->size() : at + key.size() + 3;
    return std::string_view(*status).substr(from);
  };
  const auto has = [&](std::string_view key) {
    const std::string_view digits = value_of(key);
    std::uint64_t mask = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), mask, 16);
    return (mask >> (signal - 1) & 1) != 0;
  };
  // Who waits for a signal has it blocked and sleeps. A shell that is just starting a program
  // blocks all of them for a moment, but runs.
  return has("SigCgt") || (has("SigBlk") && value_of("State").starts_with('S'));
}

}  // namespace headroom::engine
