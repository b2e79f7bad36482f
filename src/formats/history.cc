#include "formats/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "formats/file.h"
#include "formats/gavel.h"
#include "formats/json_parser.h"
#include "formats/message.h"
#include "formats/openb_history.h"
#include "formats/own_history.h"
#include "formats/sacct.h"
#include "formats/sacct_text.h"
#include "formats/scontrol_jobs.h"
#include "formats/slurm_json.h"
#include "formats/spelling.h"
#include "formats/swf.h"

namespace headroom::formats {

using base::Result;
using model::History;

namespace {

// Slurm's JSON, rows of sacct, or what scontrol says of jobs.
Result<History> read_slurm(const std::string& path, const std::string& text,
                           const HistoryOptions& options) {
  Result<SlurmHistory> history = SlurmHistory::create(options);
  if (!history) return tl::unexpected(history.error());
  Result<void> done;
  if (text.starts_with('{')) {
    done = read_slurm_json(path, text, *history);
  } else if (text.starts_with("JobId=")) {
    done = read_scontrol_jobs(path, text, *history);
  } else {
    done = read_sacct_text(path, text, *history);
  }
  if (!done) return tl::unexpected(done.error());
  return history->finish(path);
}

Known known_to(const HistoryOptions& options) {
  Known known = known_products();
  known.own = options.own_models;
  for (const model::GpuModel& one : openb_models()) known.own.push_back(one);
  return known;
}

Result<History> read_own(const std::string& path, const std::string& text,
                         const HistoryOptions& options) {
  const Known known = known_to(options);
  if (text.starts_with('{')) return read_history_jsonl(path, text, known, options.strictness);
  if (looks_like_history_csv(text)) {
    return read_history_csv(path, text, known, options.strictness);
  }
  return read_history_yaml(path, text, known);
}

// The form that the contents are in; none when they are in no form that is known.
std::optional<HistoryFormat> format_of(const std::string& text) {
  const std::string_view start = std::string_view(text).substr(0, 4096);
  if (looks_like_history_jsonl(text)) return HistoryFormat::kHeadroom;
  if (start.starts_with('{') && text.find("\"jobs\"") != std::string::npos) {
    return HistoryFormat::kSacct;
  }
  if (start.starts_with("JobId=") || looks_like_sacct_text(text)) return HistoryFormat::kSacct;
  if (looks_like_openb_history(text)) return HistoryFormat::kOpenb;
  if (looks_like_history_csv(text)) return HistoryFormat::kHeadroom;
  if (looks_like_swf(text)) return HistoryFormat::kSwf;
  const bool is_yaml = start.find("submit:") != std::string_view::npos;
  return is_yaml ? std::optional(HistoryFormat::kHeadroom) : std::nullopt;
}

}  // namespace

const std::vector<std::string>& history_format_names() {
  static const std::vector<std::string> names{"auto", "headroom", "gavel", "sacct", "swf", "openb"};
  return names;
}

Result<HistoryFormat> parse_history_format(std::string_view text) {
  const std::vector<std::string>& names = history_format_names();
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<HistoryFormat>(found - names.begin());
  const std::string nearest_name = nearest(text, names);
  return base::fail(fmt::format("{} is not a format of job histories{}", shown(text),
                                nearest_name.empty() ? " (known: " + one_of(names) + ")"
                                                     : " (did you mean " + nearest_name + "?)"));
}

Result<History> read_history_text(const std::string& name, const std::string& text,
                                  HistoryFormat format, const HistoryOptions& options) {
  if (format == HistoryFormat::kAuto) {
    const std::optional<HistoryFormat> seen = format_of(text);
    if (!seen) {
      return base::fail(name +
                        ": it is in no form of job history that is known (our own CSV, JSON lines "
                        "or YAML; sacct -P or --json; SWF; openb; a folder of the Philly-derived "
                        "trace); --format says which it is meant to be");
    }
    format = *seen;
  }
  switch (format) {
    case HistoryFormat::kSacct:
      return read_slurm(name, text, options);
    case HistoryFormat::kSwf:
      return read_swf(name, text, options);
    case HistoryFormat::kOpenb:
      return read_openb_history(name, text, options.strictness);
    default:
      return read_own(name, text, options);
  }
}

Result<History> read_history(const std::string& path, HistoryFormat format,
                             const HistoryOptions& options) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  if (format == HistoryFormat::kGavel || (format == HistoryFormat::kAuto && is_folder)) {
    return read_gavel(path, options.strictness);
  }
  const Result<std::string> text = read_file(path, kLargestHistory);
  if (!text) return tl::unexpected(text.error());
  return read_history_text(path, *text, format, options);
}

}  // namespace headroom::formats
