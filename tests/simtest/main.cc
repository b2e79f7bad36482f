// headroom-simtest: lives of random sites, checked (life.h).
//
//   headroom-simtest --seeds 1-1000 [--policy NAME]   stops at the first seed that fails
//   headroom-simtest --seeds FILE                     lines `SEED [POLICY] [# what it was]`
//   headroom-simtest --seeds 7-7 --journal            every record of the life
//
// Exit 0: all hold. 1: one failed; the line printed reproduces it. 2: wrong arguments.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "schedule/policies.h"
#include "tests/simtest/life.h"

namespace headroom::simtest {

namespace {

struct Seed {
  std::uint64_t number = 0;
  std::string policy;  // empty: the seed picks one
};

struct Arguments {
  std::string seeds;
  std::string policy;
  bool journal = false;
};

constexpr const char* kUsage =
    "usage: headroom-simtest --seeds A-B|FILE [--policy NAME] [--journal]\n";

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

std::optional<std::vector<Seed>> read_file(const std::string& name) {
  std::ifstream file(name);
  if (!file) return std::nullopt;
  std::vector<Seed> seeds;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    Seed seed;
    if (words >> seed.number) {
      words >> seed.policy;
      seeds.push_back(seed);
    }
  }
  return seeds;
}

// "1-1000", or the name of a file.
std::optional<std::vector<Seed>> seeds_of(const Arguments& arguments) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  char rest = 0;
  if (std::sscanf(arguments.seeds.c_str(), "%lu-%lu%c", &first, &last, &rest) != 2) {
    return read_file(arguments.seeds);
  }
  std::vector<Seed> seeds;
  for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back({seed, arguments.policy});
  return seeds;
}

// With the checkers and without: both give the same digest.
LifeResult live_twice(const Seed& seed, bool journal) {
  LifeResult result =
      live(seed.number, {.policy = seed.policy, .checks = true, .journal = journal});
  if (result.findings.any()) return result;
  const LifeResult again = live(seed.number, {.policy = seed.policy, .checks = false});
  if (again.digest != result.digest) {
    result.findings.add("repeat", "the same seed gives another digest");
  }
  return result;
}

int run(const Arguments& arguments) {
  const auto seeds = seeds_of(arguments);
  if (!seeds || seeds->empty()) {
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

}  // namespace

}  // namespace headroom::simtest

int main(int count, char** texts) {
  headroom::simtest::Arguments arguments;
  if (const auto error = headroom::simtest::parse(count, texts, arguments)) {
    std::fputs((*error + "\n" + headroom::simtest::kUsage).c_str(), stderr);
    return 2;
  }
  return headroom::simtest::run(arguments);
}
