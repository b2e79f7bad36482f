// Job histories in whatever form they come, recognised by their contents:
//
//   headroom  our own CSV, JSON lines or YAML (formats/own_history.h)
//   gavel     a folder with one file a tenant, derived from the Philly trace (formats/gavel.h)
//   sacct     Slurm's accounting: sacct -P with any --format, sacct --json, and what squeue,
//             scontrol and slurmrestd say of jobs
//   swf       Standard Workload Format
//   openb     task lists with times of creation and deletion
//
//   auto history = read_history("dump.txt", HistoryFormat::kAuto, {.time_zone = "+02:00"});
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/rows.h"
#include "model/history.h"

namespace headroom::formats {

enum class HistoryFormat : std::uint8_t { kAuto, kHeadroom, kGavel, kSacct, kSwf, kOpenb };

// What becomes the queue of a job that was submitted to Slurm.
enum class QueueSource : std::uint8_t { kAccount, kPartition, kQos };

struct HistoryOptions {
  Strictness strictness;  // lenient: bad rows are left out and counted
  std::string time_zone;  // of times without one: UTC, +02:00, Europe/Berlin; empty: UTC
  QueueSource queue = QueueSource::kAccount;
  std::string cluster;                      // of a dump of several: the one to take
  std::vector<model::GpuModel> own_models;  // that our own form may name besides the catalogue's
  bool processors_are_gpus = false;         // SWF: what its processors count
};

// The words of --format, in the order of the enumeration, and back. Error: with the nearest.
const std::vector<std::string>& history_format_names();
base::Result<HistoryFormat> parse_history_format(std::string_view text);

constexpr std::int64_t kLargestHistory = std::int64_t{2} << 30;

// The same of a text that was read already; not of a folder's forms. `name` is used in messages.
base::Result<model::History> read_history_text(const std::string& name, const std::string& text,
                                               HistoryFormat format, const HistoryOptions& options);

// Reads a file, or a folder. Errors name the place, the value and what is allowed.
base::Result<model::History> read_history(const std::string& path, HistoryFormat format,
                                          const HistoryOptions& options);

}  // namespace headroom::formats
