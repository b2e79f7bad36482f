// Single values as Slurm's tools print them: times, time limits, memory, lists of trackable
// resources (TRES and GRES), states, lists of dependencies. Used by the readers of histories and of
// configurations alike. Errors say what is allowed; the place is the caller's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "formats/time_zone.h"
#include "model/history.h"

namespace headroom::formats {

// "2026-11-30T11:40:57" in the zone, or seconds since 1970. None for Unknown, None, N/A and "".
base::Result<std::optional<base::Time>> parse_slurm_time(std::string_view text,
                                                         const TimeZone& zone);

// "5" (minutes), "5:00", "12:00:00", "1-12", "1-12:00:00", "UNLIMITED". None when there is no limit
// or it is not told ("Partition_Limit", "INVALID", "").
base::Result<std::optional<base::Duration>> parse_slurm_limit(std::string_view text);

// "00:00:04", "1-02:03:04", "00:01.250": how long something took.
base::Result<base::Duration> parse_slurm_elapsed(std::string_view text);

// "64Gn" (a node), "4000Mc" (a core), "60T", "112.50T", "500" (MiB).
struct SlurmMemory {
  base::Bytes amount;
  bool per_cpu = false;
  bool per_node = false;
};
base::Result<SlurmMemory> parse_slurm_memory(std::string_view text);

// GPUs of one type; the type is empty when only their number is told.
struct SlurmGpus {
  std::string type;
  std::int64_t count = 0;
  friend bool operator==(const SlurmGpus&, const SlurmGpus&) = default;
};

struct Tres {
  std::int64_t cpu = 0;
  std::int64_t nodes = 0;
  base::Bytes memory;
  std::int64_t gpus = 0;         // of all types
  std::vector<SlurmGpus> types;  // as far as they are told
  std::int64_t shards = 0;       // parts of GPUs that a site defines
  bool is_known = false;         // something was told
  friend bool operator==(const Tres&, const Tres&) = default;
};

// "billing=8,cpu=4,mem=16G,node=2,gres/gpu:h100=8,gres/gpu=8".
base::Result<Tres> parse_tres(std::string_view text);

// GPUs of a node: "gpu:h100:8(S:0-1),shard:16", "gres:gpu:4", "PER_NODE:gpu:8", "gres/gpu:2",
// "gpu".
base::Result<std::vector<SlurmGpus>> parse_gres(std::string_view text);

// A state, as "CANCELLED by 1000" or "RUNNING"; the reason tells what a waiting job waits for.
base::Result<model::Outcome> parse_slurm_state(std::string_view state, std::string_view reason);

// "afterok:12:13,afterany:14(unfulfilled)". `ignored` gets what has no counterpart.
std::vector<model::Dependency> parse_slurm_dependencies(std::string_view text,
                                                        std::vector<std::string>& ignored);

// Parts between separators that are outside of brackets and parentheses.
std::vector<std::string_view> split_outside(std::string_view text, char separator);

// Bytes that are not UTF-8 text as "?".
std::string clean_text(std::string_view text);

// As our own names allow it: letters, digits and - _ . stay, everything else becomes "_";
// `otherwise` when there is nothing.
std::string clean_name(std::string_view text, std::string_view otherwise);

// Whether Slurm prints it for "nothing": "", (null), None, N/A, n/a, None assigned, Unknown.
bool is_nothing(std::string_view text);

}  // namespace headroom::formats
