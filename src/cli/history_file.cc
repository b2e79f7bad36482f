#include "cli/history_file.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/text.h"
#include "formats/own_history.h"
#include "formats/sacct_writer.h"
#include "formats/spelling.h"

namespace headroom::cli {

std::string form_of_file(const std::string& path) {
  const std::size_t point = path.rfind('.');
  const std::string ending =
      point == std::string::npos ? "" : formats::lower_case(path.substr(point + 1));
  if (ending == "jsonl" || ending == "yaml") return ending;
  return ending == "yml" ? "yaml" : "csv";
}

std::string history_text(const model::History& history, const std::string& form) {
  if (form == "jsonl") return formats::write_history_jsonl(history);
  if (form == "yaml") return formats::write_history_yaml(history);
  if (form == "sacct") return formats::write_sacct(history);
  return formats::write_history_csv(history);
}

int write_out(const std::string& path, const std::string& text) {
  if (path.empty()) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (written && std::fflush(stdout) == 0) return kOk;
    fmt::print(stderr, "headroom: the output cannot be written\n");
    return kFailed;
  }
  auto file = PendingFile::create(path);
  const auto done = file ? file->commit(text) : tl::unexpected(file.error());
  if (done) return kOk;
  fmt::print(stderr, "headroom: --output: {}\n", printable(done.error().message));
  return kUsage;
}

}  // namespace headroom::cli
