// The page that all reports are made of: one HTML file that needs nothing but itself. Without
// JavaScript all of it is there but for the pictures that Chart.js draws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/table.h"

namespace headroom::cli {

// All parts are complete HTML, CSS, JSON or JavaScript, with everything from outside escaped; the
// title is plain text.
struct ReportPage {
  std::string title;
  std::string body;    // all of <main>
  std::string data;    // JSON; report.js reads it
  std::string style;   // behind report.css
  std::string script;  // behind report.js
};

std::string report_page(const ReportPage& page);

// A file that cmake/embed.cmake put into the program.
std::string embedded(const char* begin, const char* end);

// For ReportPage::data.
std::string report_json(const nlohmann::ordered_json& data);

// One of the figures under the headline; `value` is plain text, `name` is not escaped.
std::string report_fact(std::string_view name, std::string_view value);

// A table for the page, wide ones scroll; the caption is plain text.
std::string html_table(const Table& table, std::string_view caption);

// How a line is drawn, the same on every page: colours are p0..p8 of report.css; dashes and
// markers tell lines apart without them.
struct LineStyle {
  int colour = 0;
  double width = 2;
  std::vector<int> dash;
  std::string marker;  // as Chart.js calls it
};
constexpr std::size_t kLineStyles = 9;

LineStyle line_style(std::size_t number);  // 7 is the boldest
nlohmann::ordered_json json_of(const LineStyle& style, std::string_view name);

// A button that shows and hides a line.
std::string legend_button(const LineStyle& style, std::string_view name);

}  // namespace headroom::cli
