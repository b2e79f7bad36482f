#include "formats/sacct_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/message.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Result;

namespace {

constexpr std::size_t kMostColumns = 256;
constexpr std::size_t kMostLinesOfARow = 10'000;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What stands between the first two names. Names of associations may have a blank in them.
std::string separator_of(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_of("|,;#^~\t!:%@&"), line.size());
  std::size_t end = begin;
  while (end < line.size() && !is_word(line[end])) ++end;
  return std::string(line.substr(begin, end - begin));
}

std::vector<std::string_view> split_all(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    if (end == text.size()) return parts;
    at = end + separator.size();
  }
}

std::string_view without_spaces(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

}  // namespace

// The next line with its newline.
std::string_view SacctText::peek_line() const {
  const std::size_t end = rest_.find('\n');
  return rest_.substr(0, end == std::string_view::npos ? end : end + 1);
}

void SacctText::drop_line() {
  rest_.remove_prefix(peek_line().size());
  ++next_line_;
}

std::size_t SacctText::count_separators(std::string_view text) const {
  std::size_t count = 0;
  for (std::size_t at = text.find(separator_); at != std::string_view::npos;
       at = text.find(separator_, at + separator_.size())) {
    ++count;
  }
  return count;
}

bool SacctText::ends_with_separator(std::string_view line) const {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line.ends_with(separator_);
}

void SacctText::split(std::string_view row) {
  if (row.ends_with('\n')) row.remove_suffix(1);
  if (row.ends_with('\r')) row.remove_suffix(1);
  fields_ = split_all(row, separator_);
}

Result<SacctText> SacctText::open(std::string name, std::string_view text) {
  SacctText rows(std::move(name), text);
  std::string_view line = rows.peek_line();
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return base::fail(rows.name_ + ":1: there is no line of column names");
  rows.separator_ = separator_of(line);
  if (rows.separator_.empty()) rows.separator_ = "|";
  for (const std::string_view title : split_all(line, rows.separator_)) {
    rows.columns_.emplace_back(without_spaces(title));
  }
  // sacct -p ends each line with a separator.
  if (rows.columns_.size() > kMostColumns) {
    return base::fail(
        fmt::format("{}:1: there are more than {} columns", rows.name_, kMostColumns));
  }
  rows.drop_line();
  return rows;
}

int SacctText::find(std::string_view column) const {
  const std::string wanted = lower_case(column);
  const auto same = [&](const std::string& title) { return lower_case(title) == wanted; };
  const auto found = std::find_if(columns_.begin(), columns_.end(), same);
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

std::string SacctText::place() const { return fmt::format("{}:{}", name_, line_); }

Result<bool> SacctText::next() {
  while (peek_line() == "\n" || peek_line() == "\r\n") drop_line();
  if (rest_.empty()) return false;
  line_ = next_line_;
  const std::size_t wanted = columns_.size() - 1;
  const char* const start = rest_.data();
  std::size_t length = 0;
  std::size_t found = 0;
  for (std::size_t lines = 0; lines < kMostLinesOfARow && !rest_.empty(); ++lines) {
    const std::string_view line = peek_line();
    const std::size_t here = count_separators(line);
    // The row before was cut, or this is one of its own behind the rest of a cut one.
    if (lines > 0 && (found + here > wanted || (found == 0 && here == wanted))) break;
    length += line.size();
    found += here;
    const bool is_cut = !line.ends_with('\n');
    drop_line();
    if (is_cut) {
      return base::fail(place() +
                        ": the file ends in the middle of a line (no newline at the end)");
    }
    if (found < wanted) continue;
    // sinfo ends rows with a separator where its header has none.
    if (found > wanted && !(lines == 0 && found == wanted + 1 && ends_with_separator(line))) break;
    // Lines without any separator go on with the last field.
    while (wanted > 0 && peek_line().ends_with('\n') && count_separators(peek_line()) == 0) {
      length += peek_line().size();
      drop_line();
    }
    split(std::string_view(start, length));
    return true;
  }
  return base::fail(
      fmt::format("{}: the row has {} fields, the header has {}", place(), found + 1, wanted + 1));
}

bool looks_like_sacct_text(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string separator = separator_of(line);
  if (separator.empty()) return false;
  for (const std::string_view title : split_all(line, separator)) {
    const std::string word = lower_case(without_spaces(title));
    if (word == "jobid" || word == "jobidraw") return true;
  }
  return false;
}

}  // namespace headroom::formats
