// Happening: something that will happen in virtual time, in a total order: by time, then kind, then
// sequence. Kinds at one time: what gives room comes first, a cycle last.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "base/quantity.h"

namespace headroom::simulate {

struct Happening {
  enum class Kind : std::uint8_t { kRecover, kEnd, kFail, kSubmit, kWake };

  base::Time time;
  Kind kind = Kind::kWake;
  std::uint64_t sequence = 0;
  std::uint32_t subject = 0;  // job or node
  std::uint32_t version = 0;  // kEnd: of the stretch; kWake: of the wake-up; an older one is void
  bool drawn = false;         // kFail, kRecover: by the fault model

  friend bool operator>(const Happening& a, const Happening& b) {
    if (a.time != b.time) return a.time > b.time;
    if (a.kind != b.kind) return a.kind > b.kind;
    return a.sequence > b.sequence;
  }
};

using Happenings = std::priority_queue<Happening, std::vector<Happening>, std::greater<>>;

}  // namespace headroom::simulate
