// The document for people. What it shows of the statistics is what fits 80 columns.
#include <fmt/format.h>

#include <algorithm>

#include "cli/pack_documents.h"
#include "cli/text.h"

namespace headroom::cli {

namespace {

std::string plural(std::size_t count, const char* word) {
  return fmt::format("{} {}{}", grouped(static_cast<std::int64_t>(count)), word,
                     count == 1 ? "" : "s");
}

std::string mean_and_sd(const Statistics& statistics) {
  if (!statistics.sd) return fmt::format("{:.2f}", statistics.mean);
  return fmt::format("{:.2f} ± {:.2f}", statistics.mean, *statistics.sd);
}

std::string range(const Statistics& statistics) {
  return fmt::format("{:.2f}-{:.2f}", statistics.min, statistics.max);
}

std::string bold(const std::string& text, const TableStyle& style) {
  return style.bold_header ? "\x1b[1m" + text + "\x1b[0m" : text;
}

bool fits(const Table& table, const TableStyle& style) {
  return style.width == 0 || table.natural_width(style.gap) <= style.width;
}

// Where all of it does not fit, first the range goes and then the mean.
std::string main_table(const PackOutcome& outcome, std::size_t list, const TableStyle& style) {
  for (int detail : {2, 1, 0}) {
    std::vector<Column> columns = {{"PLACEMENT", true}, {"ALLOCATED"}};
    if (detail > 0) columns.push_back({"MEAN ± SD"});
    if (detail > 1) columns.push_back({"MIN-MAX"});
    columns.insert(columns.end(), {{"FRAGMENT"}, {"RATE"}, {"IDLE"}});
    Table table(std::move(columns));
    for (std::size_t i = 0; i < outcome.placements.size(); ++i) {
      const PackRow& row = outcome.row(list, i);
      const auto found = row.at.find(outcome.main_point());
      if (found == row.at.end()) continue;
      const PointStatistics& at = found->second;
      const double idle = static_cast<double>(outcome.gpus) * (100 - at.allocated.median) / 100;
      std::vector<std::string> cells = {row.placement, fmt::format("{:.2f}", at.allocated.median)};
      if (detail > 0) cells.push_back(mean_and_sd(at.allocated));
      if (detail > 1) cells.push_back(range(at.allocated));
      cells.push_back(fmt::format("{:.2f}", at.fragment.median));
      cells.push_back(fmt::format("{:.2f}", at.fragment_rate.median));
      cells.push_back(fmt::format("{:.0f}", idle));
      table.add_row(std::move(cells));
    }
    if (detail == 0 || fits(table, style)) return table.render(style);
  }
  return "";
}

// Medians at the points. Two decimals where they fit the width, else one; then the first points go,
// where nearly all placements still are equal.
std::string curve_table(const PackOutcome& outcome, std::size_t list, const std::string& title,
                        Statistics PointStatistics::* metric, TableStyle style) {
  style.gap = 1;
  std::vector<int> points = outcome.points();
  int decimals = 2;
  while (true) {
    std::vector<Column> columns = {{title, true}};
    for (int point : points) columns.push_back({std::to_string(point)});
    Table table(std::move(columns));
    for (std::size_t i = 0; i < outcome.placements.size(); ++i) {
      const PackRow& row = outcome.row(list, i);
      std::vector<std::string> cells = {row.placement};
      for (int point : points) {
        const auto found = row.at.find(point);
        cells.push_back(found == row.at.end()
                            ? "-"
                            : fmt::format("{:.{}f}", (found->second.*metric).median, decimals));
      }
      table.add_row(std::move(cells));
    }
    if (fits(table, style) || points.size() < 2) return table.render(style);
    if (decimals == 1) points.erase(points.begin());
    decimals = 1;
  }
}

}  // namespace

std::string pack_table(const PackOutcome& outcome, const TableStyle& style) {
  std::string text = wrapped(
      fmt::format("{}{}, {}; {} ({}); tasks that ask for {:g} times the GPUs arrive.\n"
                  "ALLOCATED and FRAGMENT (idle, but of no use to the tasks that come) are % of "
                  "all GPUs, RATE is FRAGMENT in % of the idle GPUs, IDLE counts idle GPUs; "
                  "medians over the seeds.\n",
                  outcome.cluster.empty() ? "" : printable(outcome.cluster) + ": ",
                  plural(outcome.nodes, "node"),
                  plural(static_cast<std::size_t>(outcome.gpus), "GPU"),
                  plural(outcome.seeds.size(), "seed"), seeds_text(outcome.seeds), outcome.arrive),
      style.width);
  for (std::size_t list = 0; list < outcome.lists.size(); ++list) {
    const std::string name = printable(outcome.lists[list]);
    text += "\n" + bold(style.width > 0 ? shortened(name, style.width) : name, style) + "\n";
    text += fmt::format("At {} % arrived\n", outcome.main_point());
    text += main_table(outcome, list, style);
    text += "\nBy % arrived\n";
    text += curve_table(outcome, list, "ALLOCATED", &PointStatistics::allocated, style) + "\n";
    text += curve_table(outcome, list, "FRAGMENT", &PointStatistics::fragment, style) + "\n";
    text += curve_table(outcome, list, "RATE", &PointStatistics::fragment_rate, style);
  }
  return text + "\n" + bold(wrapped(headline(outcome), style.width), style) + "\n";
}

}  // namespace headroom::cli
