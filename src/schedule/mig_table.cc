#include "schedule/mig_table.h"
#include "schedule/mutants.h"

namespace headroom::schedule {

namespace {

bool may_start(const model::MigProfile& profile, int start, unsigned used) {
  const unsigned covered = ((1u << profile.size) - 1u) << start;
  return (profile.starts >> start & 1u) != 0 && (covered & used) == 0 && covered < 256u;
}

int worth_of(const model::GpuModel& gpu, unsigned used) {
  int worth = 0;
  for (const model::MigProfile& profile : gpu.mig_profiles) {
    for (int start = 0; start < 8; ++start) {
      if (may_start(profile, start, used)) worth += profile.size;
    }
  }
  return worth;
}

}  // namespace

MigTable::MigTable(const model::GpuModel& gpu) : slices_(gpu.mig_slices) {
  for (unsigned used = 0; used < 256; ++used) {
    worth_[used] = static_cast<std::int16_t>(worth_of(gpu, used));
  }
  for (const model::MigProfile& profile : gpu.mig_profiles) {
    size_.push_back(profile.size);
    auto& starts = start_.emplace_back();
    starts.fill(kNoStart);
    for (unsigned used = 0; used < 256; ++used) {
      int best = -1;
      for (int start = 0; start < 8; ++start) {
        if (!may_start(profile, start, mutated(Mutant::kMigSlotOverlap) ? 0 : used)) continue;
        const unsigned after = used | ((1u << profile.size) - 1u) << start;
        if (worth_[after] > best) {
          best = worth_[after];
          starts[used] = static_cast<std::uint8_t>(start);
        }
      }
    }
  }
}

}  // namespace headroom::schedule
