#include "cli/pack_report_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/html.h"
#include "cli/report.h"
#include "cli/text.h"
#include "schedule/placements.h"

namespace headroom::cli {

namespace {

using Json = nlohmann::ordered_json;

// By percentage from 0 on; null where no run has a value. Three decimals: below a pixel.
Json series(const PackRow& row, Statistics PointStatistics::* metric, double Statistics::* value) {
  Json result = Json::array();
  if (row.at.empty()) return result;
  for (int point = 0; point <= row.at.rbegin()->first; ++point) {
    const auto found = row.at.find(point);
    if (found == row.at.end()) {
      result.push_back(nullptr);
    } else {
      result.push_back(std::round(found->second.*metric.*value * 1e3) / 1e3);
    }
  }
  return result;
}

LineStyle line_style_of(const std::string& placement) {
  const auto& names = schedule::placement_names();
  const auto at = std::find(names.begin(), names.end(), placement) - names.begin();
  return line_style(static_cast<std::size_t>(at));
}

// The placement with the highest mean allocation of a list, at the main point.
std::size_t best_of(const PackOutcome& outcome, std::size_t list) {
  std::size_t best = 0;
  const auto mean = [&](std::size_t placement) {
    return outcome.row(list, placement).at.at(outcome.main_point()).allocated.mean;
  };
  for (std::size_t i = 1; i < outcome.placements.size(); ++i) {
    if (mean(i) > mean(best)) best = i;
  }
  return best;
}

std::string best_class(const PackOutcome& outcome, std::size_t list, std::size_t placement) {
  const bool best = outcome.placements.size() > 1 && best_of(outcome, list) == placement;
  return best ? R"( class="best")" : "";
}

std::string mean_and_sd(double mean, const Statistics& statistics) {
  if (!statistics.sd) return fmt::format("{:.2f}", mean);
  return fmt::format("{:.2f} ± {:.2f}", mean, *statistics.sd);
}

// One list's statistics at the main point.
std::string main_table(const PackOutcome& outcome, std::size_t list, const Bounds& bounds) {
  const std::string name = escape_html(outcome.lists[list]);
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}, numbers\">\n"
      "<table class=\"numbers\"><caption>{0}, at {1} % arrived</caption>\n<thead><tr>"
      "<th scope=\"col\">Placement</th><th scope=\"col\">Allocated %<br>median</th>"
      "<th scope=\"col\">Allocated %<br>mean ± sd</th><th scope=\"col\">Allocated %<br>min–max</th>"
      "<th scope=\"col\">Idle GPUs<br>median</th><th scope=\"col\">Fragment %<br>mean ± sd</th>"
      "<th scope=\"col\">Fragment rate %<br>mean ± sd</th></tr></thead>\n<tbody>\n",
      name, outcome.main_point());
  for (std::size_t i = 0; i < outcome.placements.size(); ++i) {
    const PointStatistics& at = outcome.row(list, i).at.at(outcome.main_point());
    const double idle = static_cast<double>(outcome.gpus) * (100 - at.allocated.median) / 100;
    html += fmt::format(
        "<tr{}><th scope=\"row\">{}</th><td>{:.2f}</td><td>{}</td><td>{:.2f}–{:.2f}</td>"
        "<td>{}</td><td>{}</td><td>{}</td></tr>\n",
        best_class(outcome, list, i), escape_html(outcome.placements[i]), at.allocated.median,
        mean_and_sd(at.allocated.mean, at.allocated), at.allocated.min, at.allocated.max,
        grouped(std::llround(idle)), mean_and_sd(at.fragment.mean, at.fragment),
        mean_and_sd(at.fragment_rate.mean, at.fragment_rate));
  }
  const auto bound = bounds.find(outcome.lists[list]);
  if (bound != bounds.end() && outcome.main_point() == 100) {
    const std::string rest = "<td></td><td></td><td></td><td></td><td></td></tr>\n";
    html += fmt::format(
        "<tr><th scope=\"row\">bound, no common task dropped early</th>"
        "<td>{:.2f}</td>{}",
        bound->second.prefix, rest);
    html += fmt::format("<tr><th scope=\"row\">bound, any placement</th><td>{:.2f}</td>{}",
                        bound->second.free, rest);
  }
  return html + "</tbody></table></div>\n";
}

// One list's medians of one metric at the points.
std::string curve_table(const PackOutcome& outcome, std::size_t list, const char* title,
                        Statistics PointStatistics::* metric) {
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}, {1}\">\n"
      "<table class=\"numbers\"><caption>{0}, medians by % arrived</caption>\n"
      "<thead><tr><th scope=\"col\">Placement</th>",
      title, escape_html(outcome.lists[list]));
  for (int point : outcome.points()) html += fmt::format("<th scope=\"col\">{}</th>", point);
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < outcome.placements.size(); ++i) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", escape_html(outcome.placements[i]));
    for (int point : outcome.points()) {
      const auto& at = outcome.row(list, i).at;
      const auto found = at.find(point);
      html += found == at.end() ? "<td>–</td>"
                                : fmt::format("<td>{:.2f}</td>", (found->second.*metric).median);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string report_data(const PackOutcome& outcome, const Bounds& bounds) {
  Json placements = Json::array();
  for (const std::string& name : outcome.placements) {
    placements.push_back(json_of(line_style_of(name), name));
  }
  Json rows = Json::array();
  Json bound_of_list = Json::array();
  for (std::size_t list = 0; list < outcome.lists.size(); ++list) {
    const auto bound = bounds.find(outcome.lists[list]);
    bound_of_list.push_back(bound == bounds.end() ? Json(nullptr)
                                                  : Json{{"prefix", bound->second.prefix},
                                                         {"free", bound->second.free}});
    for (std::size_t i = 0; i < outcome.placements.size(); ++i) {
      const PackRow& row = outcome.row(list, i);
      const auto of = [&](Statistics PointStatistics::* metric, double Statistics::* value) {
        return series(row, metric, value);
      };
      rows.push_back(
          {{"list", list},
           {"placement", i},
           {"allocated",
            {{"median", of(&PointStatistics::allocated, &Statistics::median)},
             {"quartile1", of(&PointStatistics::allocated, &Statistics::quartile1)},
             {"quartile3", of(&PointStatistics::allocated, &Statistics::quartile3)}}},
           {"fragment", {{"median", of(&PointStatistics::fragment, &Statistics::median)}}},
           {"fragment_rate",
            {{"median", of(&PointStatistics::fragment_rate, &Statistics::median)}}}});
    }
  }
  const Json data = {{"lists", outcome.lists},  {"placements", std::move(placements)},
                     {"rows", std::move(rows)}, {"bounds", std::move(bound_of_list)},
                     {"gpus", outcome.gpus},    {"point", outcome.main_point()}};
  return report_json(data);
}

std::string report_facts(const PackOutcome& outcome) {
  const auto nodes = static_cast<std::int64_t>(outcome.nodes);
  const std::string name = outcome.cluster.empty() ? "" : outcome.cluster + ": ";
  std::string html = report_fact(
      "Cluster", fmt::format("{}{} nodes, {} GPUs", name, grouped(nodes), grouped(outcome.gpus)));
  html += outcome.lists.size() == 1
              ? report_fact("Task list", outcome.lists[0])
              : report_fact("Task lists", std::to_string(outcome.lists.size()));
  html += report_fact("Placements", std::to_string(outcome.placements.size()));
  html += report_fact("Seeds", seeds_text(outcome.seeds));
  html += report_fact("Demand that arrives", fmt::format("{:g} × the GPUs", outcome.arrive));
  return html;
}

std::string report_selector(const PackOutcome& outcome) {
  if (outcome.lists.size() < 2) return "";
  std::string html = "<div><label for=\"list\">Task list</label> <select id=\"list\">\n";
  for (const std::string& list : outcome.lists) {
    html += "<option>" + escape_html(list) + "</option>\n";
  }
  return html + "</select></div>";
}

std::string report_legend(const PackOutcome& outcome) {
  std::string html;
  for (const std::string& name : outcome.placements) {
    html += legend_button(line_style_of(name), name);
  }
  return html;
}

std::string report_bars(const PackOutcome& outcome, const Bounds& bounds) {
  double longest = 0.01;
  for (const PackRow& row : outcome.rows) {
    const Statistics& allocated = row.at.at(outcome.main_point()).allocated;
    longest = std::max(longest, 100 - allocated.mean + allocated.sd.value_or(0));
  }
  std::string html;
  for (std::size_t list = 0; list < outcome.lists.size(); ++list) {
    html += "<article><h3>" + escape_html(outcome.lists[list]) + "</h3>\n<table>\n";
    const auto bound = bounds.find(outcome.lists[list]);
    const bool bounded = bound != bounds.end() && outcome.main_point() == 100;
    for (std::size_t i = 0; i < outcome.placements.size(); ++i) {
      const Statistics& allocated = outcome.row(list, i).at.at(outcome.main_point()).allocated;
      const double idle = 100 - allocated.mean;
      const double sd = allocated.sd.value_or(0);
      html += fmt::format(
          "<tr{}><th scope=\"row\">{}</th><td><div class=\"track p{}\" aria-hidden=\"true\">"
          "<div class=\"bar\" style=\"width:{:.2f}%\"></div>",
          best_class(outcome, list, i), escape_html(outcome.placements[i]),
          line_style_of(outcome.placements[i]).colour, 100 * idle / longest);
      if (sd > 0) {
        html += fmt::format("<div class=\"whisker\" style=\"left:{:.2f}%;width:{:.2f}%\"></div>",
                            100 * std::max(0.0, idle - sd) / longest, 200 * sd / longest);
      }
      if (bounded) {
        html += fmt::format("<div class=\"least\" style=\"left:{:.2f}%\"></div>",
                            100 * (100 - bound->second.prefix) / longest);
      }
      html += fmt::format("</div></td><td class=\"value\">{}</td></tr>\n",
                          mean_and_sd(idle, allocated));
    }
    html += "</table></article>\n";
  }
  return html;
}

std::string report_tables(const PackOutcome& outcome, const Bounds& bounds) {
  std::string html;
  for (std::size_t list = 0; list < outcome.lists.size(); ++list) {
    html += main_table(outcome, list, bounds);
  }
  for (std::size_t list = 0; list < outcome.lists.size(); ++list) {
    html += "<details><summary>" + escape_html(outcome.lists[list]) + " by % arrived</summary>\n";
    html += curve_table(outcome, list, "Allocated, % of all GPUs", &PointStatistics::allocated);
    html += curve_table(outcome, list, "Fragment, % of all GPUs", &PointStatistics::fragment);
    html += curve_table(outcome, list, "Fragment rate, % of the idle GPUs",
                        &PointStatistics::fragment_rate);
    html += "</details>\n";
  }
  return html;
}

}  // namespace headroom::cli
