#include "cli/pack_documents.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/digest.h"

namespace headroom::cli {

namespace {

using Json = nlohmann::ordered_json;

// Six decimals: a thousandth of a GPU of a cluster of 100,000.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json json_of(const Statistics& statistics) {
  return {{"median", rounded(statistics.median)},
          {"mean", rounded(statistics.mean)},
          {"sd", statistics.sd ? Json(rounded(*statistics.sd)) : Json(nullptr)},
          {"min", rounded(statistics.min)},
          {"max", rounded(statistics.max)}};
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void add_statistics(std::vector<std::string>& cells, const Statistics& statistics) {
  cells.push_back(fmt::format("{:.3f}", statistics.median));
  cells.push_back(fmt::format("{:.3f}", statistics.mean));
  cells.push_back(statistics.sd ? fmt::format("{:.3f}", *statistics.sd) : "-");
  cells.push_back(fmt::format("{:.3f}", statistics.min));
  cells.push_back(fmt::format("{:.3f}", statistics.max));
}

}  // namespace

std::string pack_wide(const PackOutcome& outcome) {
  std::vector<Column> columns = {{"TASKS", true}, {"PLACEMENT", true}, {"SEEDS"}, {"ARRIVED"}};
  for (const char* metric : {"ALLOCATED", "FRAGMENT", "RATE"}) {
    columns.push_back({metric});
    for (const char* statistic : {"MEAN", "SD", "MIN", "MAX"}) {
      columns.push_back({fmt::format("{}_{}", metric, statistic)});
    }
  }
  Table table(columns);
  for (const PackRow& row : outcome.rows) {
    for (int point : outcome.points()) {
      const auto found = row.at.find(point);
      if (found == row.at.end()) continue;
      std::vector<std::string> cells = {row.tasks, row.placement,
                                        std::to_string(found->second.allocated.count),
                                        std::to_string(point)};
      add_statistics(cells, found->second.allocated);
      add_statistics(cells, found->second.fragment);
      add_statistics(cells, found->second.fragment_rate);
      table.add_row(std::move(cells));
    }
  }
  return table.render({});
}

std::string pack_json(const PackOutcome& outcome) {
  Json rows = Json::array();
  for (const PackRow& row : outcome.rows) {
    Json at = Json::object();
    for (int point : outcome.points()) {
      const auto found = row.at.find(point);
      if (found == row.at.end()) continue;
      at[std::to_string(point)] = {{"allocated", json_of(found->second.allocated)},
                                   {"fragment", json_of(found->second.fragment)},
                                   {"fragment_rate", json_of(found->second.fragment_rate)}};
    }
    Json digests = Json::object();
    for (std::size_t i = 0; i < row.runs.size(); ++i) {
      digests[std::to_string(outcome.seeds[i])] = base::to_hex(row.runs[i].digest);
    }
    rows.push_back({{"tasks", row.tasks},
                    {"placement", row.placement},
                    {"seeds", row.runs.size()},
                    {"at", std::move(at)},
                    {"digests", std::move(digests)}});
  }
  const Json document = {
      {"rows", std::move(rows)},
      {"cluster", {{"name", outcome.cluster}, {"nodes", outcome.nodes}, {"gpus", outcome.gpus}}},
      {"arrive", outcome.arrive},
      {"seconds", std::round(outcome.seconds * 1e3) / 1e3}};
  // A file name need not be UTF-8; JSON has to be.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string pack_csv(const PackOutcome& outcome) {
  std::string text = "tasks,placement,seed,arrived,allocated,fragment,fragment_rate,digest\n";
  for (const PackRow& row : outcome.rows) {
    for (std::size_t i = 0; i < row.runs.size(); ++i) {
      const auto& curve = row.runs[i].curve.at;
      for (int point : kPoints) {
        const auto at = static_cast<std::size_t>(point);
        if (at >= curve.size() || !curve[at].seen) continue;
        text += fmt::format("{},{},{},{},{:.6f},{:.6f},{:.6f},{}\n", csv_field(row.tasks),
                            row.placement, outcome.seeds[i], point, curve[at].allocated,
                            curve[at].fragment, curve[at].fragment_rate,
                            base::to_hex(row.runs[i].digest));
      }
    }
  }
  return text;
}

}  // namespace headroom::cli
