// Which seeds to live: a range "1-1000", or a file with lines `SEED [POLICY] [# what it was]`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/simtest/life.h"

namespace headroom::simtest {

struct Seed {
  std::uint64_t number = 0;
  std::string policy;  // empty: the seed picks one
};

// nullopt: neither a range nor a file of seeds. `policy`: of a range.
std::optional<std::vector<Seed>> seeds_of(const std::string& text, const std::string& policy);

// With the checkers and without: both give the same digest.
LifeResult live_twice(const Seed& seed, bool journal);

}  // namespace headroom::simtest
