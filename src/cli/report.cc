#include "cli/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/html.h"

extern "C" {
extern const char headroom_chart_js[], headroom_chart_js_end[];
extern const char headroom_report_css[], headroom_report_css_end[];
extern const char headroom_report_html[], headroom_report_html_end[];
extern const char headroom_report_js[], headroom_report_js_end[];
}

namespace headroom::cli {

namespace {

// The marker in the middle of a legend's line, 36 x 12.
std::string marker_svg(const std::string& marker) {
  if (marker == "circle") return R"(<circle class="mark" cx="18" cy="6" r="3.5"/>)";
  if (marker == "rect") return R"(<path class="mark" d="M15 3h6v6h-6z"/>)";
  if (marker == "rectRot") return R"(<path class="mark" d="M18 1.5l4.5 4.5-4.5 4.5-4.5-4.5z"/>)";
  if (marker == "triangle") return R"(<path class="mark" d="M18 2l4 7h-8z"/>)";
  if (marker == "crossRot") return R"(<path d="M14.5 2.5l7 7M21.500 2.5l-7 7"/>)";
  if (marker == "cross") return R"(<path d="M18 1.5v9M13.5 6h9"/>)";
  return R"(<path d="M18 1.5v9M13.5 6h9M15 3l6 6M21 3l-6 6"/>)";  // star
}

// "Gpu hours" would be wrong, so columns with such words have a heading of their own.
std::string heading_of(const Column& column) {
  if (!column.heading.empty()) return column.heading;
  std::string heading = column.title;
  std::transform(heading.begin() + 1, heading.end(), heading.begin() + 1,
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return heading;
}

}  // namespace

std::string embedded(const char* begin, const char* end) {
  return std::string(begin, static_cast<std::size_t>(end - begin));
}

std::string report_page(const ReportPage& page) {
  return fill_template(
      embedded(headroom_report_html, headroom_report_html_end),
      {{"title", escape_html(page.title)},
       {"body", page.body},
       {"data", page.data},
       {"style", embedded(headroom_report_css, headroom_report_css_end) + page.style},
       {"chart_js", embedded(headroom_chart_js, headroom_chart_js_end)},
       {"script", embedded(headroom_report_js, headroom_report_js_end) + page.script}});
}

std::string report_json(const nlohmann::ordered_json& data) {
  return escape_script_json(
      data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string report_fact(std::string_view name, std::string_view value) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, escape_html(value));
}

std::string html_table(const Table& table, std::string_view caption) {
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n"
      "<table class=\"numbers\"><caption>{0}</caption>\n<thead><tr>",
      escape_html(caption));
  for (const Column& column : table.columns()) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>", column.left ? " class=\"text\"" : "",
                        escape_html(heading_of(column)));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : table.rows()) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const char* form = i == 0                    ? "<th scope=\"row\">{}</th>"
                         : table.columns()[i].left ? "<td class=\"text\">{}</td>"
                                                   : "<td>{}</td>";
      html += fmt::format(fmt::runtime(form), escape_html(row[i]));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

LineStyle line_style(std::size_t number) {
  static const std::vector<LineStyle> styles = {
      {0, 2, {2, 3}, "crossRot"}, {1, 2, {9, 3, 2, 3}, "triangle"},
      {2, 2, {6, 3}, "rectRot"},  {3, 2, {12, 4}, "rect"},
      {4, 2, {}, "circle"},       {5, 2, {2, 2, 6, 2}, "star"},
      {6, 2, {}, "triangle"},     {7, 3, {}, "rectRot"},
      {8, 3, {5, 3}, "cross"},
  };
  return styles[number % kLineStyles];
}

nlohmann::ordered_json json_of(const LineStyle& style, std::string_view name) {
  return {{"name", name},
          {"colour", style.colour},
          {"width", style.width},
          {"dash", style.dash},
          {"marker", style.marker}};
}

std::string legend_button(const LineStyle& style, std::string_view name) {
  return fmt::format(
      "<button type=\"button\" aria-pressed=\"true\"><svg class=\"p{}\" viewBox=\"0 0 36 12\" "
      "fill=\"none\" aria-hidden=\"true\"><path d=\"M0 6h36\" stroke-width=\"{}\" "
      "stroke-dasharray=\"{}\"/>{}</svg>{}</button>\n",
      style.colour, style.width, fmt::join(style.dash, " "), marker_svg(style.marker),
      escape_html(name));
}

}  // namespace headroom::cli
