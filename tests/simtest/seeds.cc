#include "tests/simtest/seeds.h"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace headroom::simtest {

namespace {

std::optional<std::vector<Seed>> read_file(const std::string& name) {
  std::ifstream file(name);
  if (!file) return std::nullopt;
  std::vector<Seed> seeds;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    Seed seed;
    if (!(words >> seed.number)) continue;
    words >> seed.policy;
    seeds.push_back(seed);
  }
  return seeds;
}

}  // namespace

std::optional<std::vector<Seed>> seeds_of(const std::string& text, const std::string& policy) {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%lu-%lu%c", &first, &last, &rest) != 2) return read_file(text);
  std::vector<Seed> seeds;
  for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back({seed, policy});
  return seeds;
}

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

}  // namespace headroom::simtest
