// Snapshot: a whole state as bytes, and back: cluster, queues, settings, jobs, past use. The state
// that is read has the digest of the one that was written, and from the same records it goes on to
// the same digests.
//
// What is written begins with a version and a checksum and ends with the digest; a snapshot of
// another version, cut short or changed anywhere is refused. Whole numbers take as few bytes as
// they need: about 60 bytes for a job that waits (docs/performance.md).
//
//   write_state, read_state   O(nodes + jobs log jobs + tasks)
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "schedule/state.h"

namespace headroom::schedule {

constexpr std::int64_t kSnapshotVersion = 3;

std::string write_state(const State& state);
base::Result<State> read_state(std::string_view bytes);

}  // namespace headroom::schedule
