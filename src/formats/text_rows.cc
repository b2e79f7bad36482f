#include "formats/text_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace headroom::formats {

using base::Result;

Result<void> bad_history_row(std::string message, Strictness strictness, model::History& history) {
  if (!strictness.lenient) return base::fail(std::move(message));
  const auto is_bad = [](const model::LeftOut& one) { return one.reason == kBadRows; };
  const auto known = std::find_if(history.left_out.begin(), history.left_out.end(), is_bad);
  const std::int64_t before = known == history.left_out.end() ? 0 : known->rows;
  if (before < static_cast<std::int64_t>(kFirstErrors)) history.note("left out: " + message);
  history.leave_out(kBadRows);
  return {};
}

Result<void> for_each_line(
    const std::string& name, std::string_view text, Strictness strictness, model::History& history,
    const std::function<Result<void>(std::string_view line, int number)>& parse) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const bool is_cut = end == std::string_view::npos;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(is_cut ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const Result<void> done =
        is_cut ? base::fail("the file ends in the middle of a line (no newline at the end)")
               : parse(line, number);
    if (done) continue;
    const Result<void> counted = bad_history_row(
        fmt::format("{}:{}: {}", name, number, done.error().message), strictness, history);
    if (!counted) return counted;
  }
  return {};
}

}  // namespace headroom::formats
