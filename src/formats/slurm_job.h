// SlurmJob: one record of a job (or of a step) in Slurm's words, whichever tool printed it. The
// readers of sacct's rows, of JSON and of scontrol make it; slurm_history.h makes histories of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/result.h"
#include "formats/slurm_values.h"

namespace headroom::formats {

// "123" · "123_4" (an element) · "123_[1-9%2]" (elements that wait) · "123+1" (a part of a
// heterogeneous job) · "123.batch" (a step).
struct SlurmId {
  std::int64_t number = 0;
  std::vector<std::int64_t> elements;  // of the array
  bool in_brackets = false;            // several of them
  std::int64_t throttle = 0;           // at most so many of them at a time; 0: all
  std::int64_t part = -1;              // of a heterogeneous job
  bool is_step = false;
  friend bool operator==(const SlurmId&, const SlurmId&) = default;
};

constexpr std::size_t kMostElements = 1'000'000;

base::Result<SlurmId> parse_slurm_id(std::string_view text);

struct SlurmJob {
  SlurmId id;
  std::string name;
  std::string user;
  std::string account;
  std::string partition;
  std::string qos;
  std::string cluster;
  std::string node_names;
  std::string after;  // dependencies, as Slurm writes them
  std::string submit_line;
  model::Outcome outcome = model::Outcome::kCompleted;
  bool was_requeued = false;  // its state says that another attempt follows
  std::optional<base::Time> submit;
  std::optional<base::Time> eligible;
  std::optional<base::Time> start;
  std::optional<base::Time> end;
  std::optional<base::Duration> elapsed;
  std::optional<base::Duration> limit;
  std::int64_t nodes = 0;  // 0: not known
  std::int64_t cpus = 0;
  std::int64_t restarts = 0;
  SlurmMemory memory;  // asked for, where it is not among the resources
  Tres requested;
  Tres allocated;
  bool has_bad_text = false;  // bytes that are not UTF-8
  std::string place;          // "dump.txt:14"; not compared

  bool same_as(const SlurmJob& other) const;
};

}  // namespace headroom::formats
