#include "formats/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "formats/message.h"
#include "formats/spelling.h"

namespace headroom::formats {

using base::Error;
using base::Result;

namespace {

constexpr std::size_t kMostColumns = 256;

}  // namespace

Csv::Csv(std::string name, std::string_view text, CsvColumns columns)
    : name_(std::move(name)), rest_(text), columns_(std::move(columns)) {}

Result<Csv> Csv::open(std::string name, std::string_view text, CsvColumns columns) {
  Csv csv(std::move(name), text, std::move(columns));
  if (Result<void> header = csv.read_header(); !header) return tl::unexpected(header.error());
  return csv;
}

tl::unexpected<Error> Csv::bad_row(const std::string& what) const {
  return base::fail(fmt::format("{}:{}: {}", name_, line_, what));
}

tl::unexpected<Error> Csv::bad(std::size_t column, const std::string& what) const {
  return bad_row(fmt::format("{}: {}", column_name(column), what));
}

const std::string& Csv::column_name(std::size_t column) const {
  const std::size_t required = columns_.required.size();
  return column < required ? columns_.required[column] : columns_.optional[column - required];
}

// The next line without its newline.
Result<std::string_view> Csv::take_line() {
  ++line_;
  const std::size_t end = rest_.find('\n');
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (end == std::string_view::npos) {
    return bad_row("the file ends in the middle of a line (no newline at the end)");
  }
  if (line.find('\0') != std::string_view::npos) return bad_row("there is a NUL byte in the line");
  if (line.find('\r') != std::string_view::npos) {
    return bad_row("there is a carriage return in the line (lines must end in a newline alone)");
  }
  return line;
}

// One field in double quotes that starts at line[at]; leaves `at` behind it.
Result<void> Csv::split_quoted(std::string_view line, std::size_t& at) {
  std::string field;
  for (++at; at < line.size(); ++at) {
    if (line[at] != '"') {
      field += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      field += line[++at];
    } else {
      ++at;
      if (at < line.size() && line[at] != ',') return bad_row("text follows a closing quote");
      fields_.push_back(std::move(field));
      return {};
    }
  }
  return bad_row("a quote is not closed");
}

Result<void> Csv::split(std::string_view line) {
  fields_.clear();
  for (std::size_t at = 0;;) {
    if (fields_.size() == kMostColumns) return bad_row("there are more than 256 fields");
    if (columns_.quotes && at < line.size() && line[at] == '"') {
      if (Result<void> done = split_quoted(line, at); !done) return done;
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      const std::string_view field = line.substr(at, end - at);
      if (field.find('"') != std::string_view::npos) {
        return bad_row(fmt::format("field {}: {} has a quote", fields_.size() + 1, shown(field)));
      }
      fields_.emplace_back(field);
      at = end;
    }
    if (at >= line.size()) return {};
    ++at;  // the comma
  }
}

Result<void> Csv::read_header() {
  if (rest_.empty()) return base::fail(name_ + ": the file is empty");
  const Result<std::string_view> line = take_line();
  if (!line) return tl::unexpected(line.error());
  if (Result<void> done = split(*line); !done) return done;
  width_ = fields_.size();

  std::vector<std::string> readable = columns_.required;
  readable.insert(readable.end(), columns_.optional.begin(), columns_.optional.end());
  position_.assign(readable.size(), -1);
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const std::string& title = fields_[i];
    if (std::find(seen.begin(), seen.end(), title) != seen.end()) {
      return bad_row(fmt::format("column {} is there twice", shown(title)));
    }
    seen.push_back(title);
    const auto found = std::find(readable.begin(), readable.end(), title);
    if (found != readable.end()) {
      position_[static_cast<std::size_t>(found - readable.begin())] = static_cast<int>(i);
    } else if (std::find(columns_.ignored.begin(), columns_.ignored.end(), title) ==
               columns_.ignored.end()) {
      return bad_row(fmt::format("unknown column {}{}", shown(title), hint(title, readable)));
    }
  }
  for (std::size_t column = 0; column < columns_.required.size(); ++column) {
    if (has(column)) continue;
    return bad_row(fmt::format("column {} is missing", columns_.required[column]));
  }
  return {};
}

Result<bool> Csv::next() {
  if (rest_.empty()) return false;
  const Result<std::string_view> line = take_line();
  if (!line) return tl::unexpected(line.error());
  if (Result<void> done = split(*line); !done) return tl::unexpected(done.error());
  if (fields_.size() == width_) return true;
  return bad_row(fmt::format("the row has {} fields, the header has {}", fields_.size(), width_));
}

std::string_view Csv::field(std::size_t column) const {
  HEADROOM_ASSERT(column < position_.size());
  return has(column) ? std::string_view(fields_[static_cast<std::size_t>(position_[column])]) : "";
}

Result<std::int64_t> Csv::integer(std::size_t column, std::int64_t low, std::int64_t high) const {
  const std::string_view text = field(column);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size() && !text.empty();
  if (!whole || error == std::errc::invalid_argument) {
    return bad(column, fmt::format("{} is not a whole number in {}..{}", shown(text), low, high));
  }
  if (error == std::errc::result_out_of_range || value < low || value > high) {
    return bad(column, fmt::format("{} is not in {}..{}", shown(text), low, high));
  }
  return value;
}

}  // namespace headroom::formats
