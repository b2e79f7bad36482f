// Csv: walks over the rows of a text of comma-separated values. The first line names the columns,
// which may come in any order. Strict: every row has as many fields as the header, every line ends
// in a newline (so a truncated file is noticed), no NUL bytes and no carriage returns. Fields in
// double quotes are allowed only where the reader says so ("" inside them is one quote).
//
//   auto csv = Csv::open("nodes.csv", text, {.required = {"sn", "gpu"}});
//   while (true) {
//     auto more = csv->next();            // an Error: this row is bad; reading may go on
//     if (more && !*more) break;          // the end
//     auto gpus = csv->integer(1, 0, 16); // an Error names line, column, value and what is allowed
//   }
//
// The text must outlive the Csv. O(length of the text) in all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/rows.h"

namespace headroom::formats {

struct CsvColumns {
  std::vector<std::string> required;
  std::vector<std::string> optional = {};
  std::vector<std::string> ignored = {};  // may be there; never read
  bool quotes = false;                    // fields may be quoted
};

class Csv {
 public:
  // Reads the header. Columns are then numbered required first, then optional.
  static base::Result<Csv> open(std::string name, std::string_view text, CsvColumns columns);

  // Goes to the next row: true, or false at the end. An Error means that the row cannot be split.
  base::Result<bool> next();

  bool has(std::size_t column) const { return position_[column] >= 0; }
  // The field of the current row; empty when the column is not there.
  std::string_view field(std::size_t column) const;
  // A whole number in low..high.
  base::Result<std::int64_t> integer(std::size_t column, std::int64_t low, std::int64_t high) const;

  int line() const { return line_; }
  // "nodes.csv:14: gpu: " + what.
  tl::unexpected<base::Error> bad(std::size_t column, const std::string& what) const;
  // "nodes.csv:14: " + what.
  tl::unexpected<base::Error> bad_row(const std::string& what) const;

 private:
  Csv(std::string name, std::string_view text, CsvColumns columns);

  base::Result<std::string_view> take_line();
  base::Result<void> split(std::string_view line);
  base::Result<void> split_quoted(std::string_view line, std::size_t& at);
  base::Result<void> read_header();
  const std::string& column_name(std::size_t column) const;

  std::string name_;
  std::string_view rest_;
  CsvColumns columns_;
  std::vector<int> position_;  // by column: field in a row, or -1
  std::vector<std::string> fields_;
  std::size_t width_ = 0;
  int line_ = 0;
};

// Calls parse_row() (-> Result<void>) for each row. Strict: returns the first error. Lenient:
// counts it in `rows` and goes on.
template <class T, class ParseRow>
base::Result<void> for_each_row(Csv& csv, Strictness strictness, Rows<T>& rows,
                                const ParseRow& parse_row) {
  while (true) {
    const base::Result<bool> more = csv.next();
    if (more && !*more) return {};
    const base::Result<void> done = more ? parse_row() : tl::unexpected(more.error());
    if (done) continue;
    if (!strictness.lenient) return done;
    ++rows.skipped;
    if (rows.first_errors.size() < kFirstErrors) rows.first_errors.push_back(done.error().message);
  }
}

}  // namespace headroom::formats
