#include "cli/table.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "cli/text.h"

namespace headroom::cli {

namespace {

constexpr std::size_t kShortest = 8;

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return left ? text + space : space + text;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<std::string> cells) {
  HEADROOM_ASSERT(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(const TableStyle& style) const {
  std::vector<std::size_t> result;
  std::size_t total = style.gap * (columns_.size() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = display_width(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, display_width(row[i]));
    result.push_back(widest);
    total += widest;
  }
  if (style.width == 0) return result;
  for (std::size_t i = 0; i < columns_.size() && total > style.width; ++i) {
    if (!columns_[i].left || result[i] <= kShortest) continue;
    const std::size_t cut = std::min(total - style.width, result[i] - kShortest);
    result[i] -= cut;
    total -= cut;
  }
  return result;
}

std::size_t Table::natural_width(std::size_t gap) const {
  std::size_t total = gap * (columns_.size() - 1);
  for (std::size_t width : widths({})) total += width;
  return total;
}

std::string Table::render(const TableStyle& style) const {
  const std::vector<std::size_t> width = widths(style);
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) text += std::string(style.gap, ' ');
      text += padded(shortened(cell_of(i), width[i]), width[i], columns_[i].left);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return style.width > 0 ? shortened(text, style.width) : text;
  };
  std::string result;
  if (style.header) {
    result = line([&](std::size_t i) { return columns_[i].title; });
    if (style.bold_header) result = "\x1b[1m" + result + "\x1b[0m";
    result += '\n';
  }
  for (const auto& row : rows_) result += line([&](std::size_t i) { return row[i]; }) + "\n";
  return result;
}

}  // namespace headroom::cli
