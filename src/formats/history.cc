#include "formats/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "formats/gavel.h"
#include "formats/message.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Result;
using model::History;

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

Result<History> read_history(const std::string& path, HistoryFormat format,
                             const HistoryOptions& options) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  if (format == HistoryFormat::kGavel || (format == HistoryFormat::kAuto && is_folder)) {
    return read_gavel(path, options.strictness);
  }
  return base::fail(path + ": this form of history cannot be read yet");
}

}  // namespace headroom::formats
