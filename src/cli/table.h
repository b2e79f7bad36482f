// Table: rows of text in aligned columns, for people (a terminal, cut to its width) and for pipes
// (plain columns of full length, separated by two spaces).
//
// A column is as wide as its widest cell. When the sum does not fit the width, left-aligned columns
// are shortened first (down to eight characters, with "…"), then the line is cut. Width is counted
// in code points; control characters of outside names are shown as "?".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headroom::cli {

struct Column {
  std::string title;         // in capitals
  bool left = false;         // text; numbers are aligned right
  std::string heading = {};  // on a page, which has more room; empty: the title
};

struct TableStyle {
  std::size_t width = 0;  // 0: no limit
  bool bold_header = false;
  std::size_t gap = 2;  // spaces between columns
  bool header = true;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  // As many cells as columns.
  void add_row(std::vector<std::string> cells);

  std::string render(const TableStyle& style) const;

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  // Of its longest line, when nothing is cut.
  std::size_t natural_width(std::size_t gap) const;

 private:
  std::vector<std::size_t> widths(const TableStyle& style) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace headroom::cli
