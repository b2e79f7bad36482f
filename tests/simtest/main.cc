// headroom-simtest: lives of random sites, checked (life.h).
//
//   headroom-simtest --seeds 1-1000 [--policy NAME]   stops at the first seed that fails
//   headroom-simtest --seeds FILE                     lines `SEED [POLICY] [# what it was]`
//   headroom-simtest --seeds 7-7 --journal            every record of the life
//   headroom-simtest --mutants --seeds 1-1000         the same for planted faults (mutants.cc)
//
// Exit 0: all hold. 1: one failed; the line printed reproduces it. 2: wrong arguments.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "schedule/policies.h"
#include "tests/simtest/seeds.h"

namespace headroom::simtest {

namespace {

struct Arguments {
  std::string seeds;
  std::string policy;
  bool journal = false;
};

constexpr const char* kUsage =
    "usage: headroom-simtest [--mutants] --seeds A-B|FILE [--policy NAME] [--journal]\n";

std::optional<std::string> parse(int count, char** texts, Arguments& arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string flag = texts[i];
    const auto value = [&] { return i + 1 < count ? std::string(texts[++i]) : std::string(); };
    if (flag == "--seeds") {
      arguments.seeds = value();
    } else if (flag == "--policy") {
      arguments.policy = value();
    } else if (flag == "--journal") {
      arguments.journal = true;
    } else {
      return "unknown argument " + flag;
    }
  }
  const auto& known = schedule::policy_names();
  const std::string& policy = arguments.policy;
  if (!policy.empty() && std::find(known.begin(), known.end(), policy) == known.end()) {
    return "--policy: there is no policy " + policy;
  }
  if (arguments.seeds.empty()) return "--seeds is missing";
  return std::nullopt;
}

int run(const Arguments& arguments) {
  const auto seeds = seeds_of(arguments.seeds, arguments.policy);
  if (!seeds) {
    fmt::print(stderr, "--seeds {}: neither A-B nor a file of seeds\n", arguments.seeds);
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  std::size_t events = 0, starts = 0, faults = 0, promises = 0;
  for (const Seed& seed : *seeds) {
    const LifeResult result = live_twice(seed, arguments.journal);
    events += result.events;
    starts += result.starts;
    faults += result.faults;
    promises += result.promises;
    if (seeds->size() == 1) fmt::print("seed {}: {}\n", seed.number, result.site);
    if (!result.findings.any()) continue;
    fmt::print("seed {} ({}): {}: {}\n", seed.number, result.site, result.findings.checker(),
               result.findings.text());
    fmt::print("reproduce: headroom-simtest --seeds {0}-{0}{1} --journal\n", seed.number,
               seed.policy.empty() ? "" : " --policy " + seed.policy);
    return 1;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{} seeds hold: {} events, {} faults, {} starts, {} reservations; {:.1f} s\n",
             seeds->size(), events, faults, starts, promises, took.count());
  return 0;
}

// The program that was built with the planted faults stands beside this one.
int run_mutants(char** texts) {
  const std::string program = std::string(texts[0]) + "-mutants";
  execv(program.c_str(), texts);
  fmt::print(stderr, "{}: not found; build the target headroom-simtest-mutants\n", program);
  return 2;
}

}  // namespace

}  // namespace headroom::simtest

int main(int count, char** texts) {
  if (count > 1 && std::string(texts[1]) == "--mutants")
    return headroom::simtest::run_mutants(texts);
  headroom::simtest::Arguments arguments;
  if (const auto error = headroom::simtest::parse(count, texts, arguments)) {
    std::fputs((*error + "\n" + headroom::simtest::kUsage).c_str(), stderr);
    return 2;
  }
  return headroom::simtest::run(arguments);
}
