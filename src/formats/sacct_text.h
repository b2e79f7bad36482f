// Splits what `sacct -P` (or any of Slurm's tools with --parsable2) prints: a line of column names,
// then rows of fields between separators. The separator is `|` or what --delimiter said: it is seen
// in the first line. Fields may have line breaks in them, so lines are joined until a row is
// complete; what cannot be completed is a bad row, and reading goes on at the next line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::formats {

class SacctText {
 public:
  // Reads the names of the columns. Error: there is no line of names.
  static base::Result<SacctText> open(std::string name, std::string_view text);

  const std::vector<std::string>& columns() const { return columns_; }
  // The position of a column (without regard to case; of equal names the first), or -1.
  int find(std::string_view column) const;

  // Goes to the next row: true, or false at the end. An Error: this row is bad; reading may go on.
  base::Result<bool> next();

  // A field of the row; empty for position -1.
  std::string_view field(int position) const {
    return position < 0 ? std::string_view() : fields_[static_cast<std::size_t>(position)];
  }
  // "dump.txt:14" of the row.
  std::string place() const;

 private:
  SacctText(std::string name, std::string_view text) : name_(std::move(name)), rest_(text) {}

  std::string_view peek_line() const;
  void drop_line();
  std::size_t count_separators(std::string_view text) const;
  bool ends_with_separator(std::string_view line) const;
  void split(std::string_view row);

  std::string name_;
  std::string_view rest_;
  std::string separator_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
  int line_ = 0;  // of the row's first line
  int next_line_ = 1;
};

// Whether the first line looks like that of sacct -P: a JobID among names with a separator.
bool looks_like_sacct_text(std::string_view text);

}  // namespace headroom::formats
