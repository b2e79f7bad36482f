#include "cli/pack_report.h"

#include <fmt/format.h>

#include "cli/html.h"
#include "cli/pack_report_parts.h"
#include "cli/report.h"

// Files of this folder, put into the program by cmake/embed.cmake.
extern "C" {
extern const char headroom_pack_report_css[], headroom_pack_report_css_end[];
extern const char headroom_pack_report_html[], headroom_pack_report_html_end[];
extern const char headroom_pack_report_js[], headroom_pack_report_js_end[];
}

namespace headroom::cli {

namespace {

bool any_bound(const PackOutcome& outcome, const Bounds& bounds) {
  for (const std::string& list : outcome.lists) {
    if (bounds.contains(list)) return true;
  }
  return false;
}

}  // namespace

std::string pack_report(const PackOutcome& outcome, const Bounds& bounds) {
  const bool bounded = any_bound(outcome, bounds);
  const std::string curves_note =
      bounded ? " The dashed lines at the top are upper bounds up to 100 % arrived: one for every "
                "placement, and a lower one for runs that drop no common task before the cluster "
                "is nearly full."
              : "";
  const std::string bars_note =
      bounded && outcome.main_point() == 100
          ? " The dotted line is the least that a run can leave idle when it drops no common task "
            "early."
          : "";
  const std::string body = fill_template(
      embedded(headroom_pack_report_html, headroom_pack_report_html_end),
      {{"headline", escape_html(headline(outcome))},
       {"facts", report_facts(outcome)},
       {"curves_note", curves_note},
       {"bars_note", bars_note},
       {"selector", report_selector(outcome)},
       {"legend", report_legend(outcome)},
       {"point", std::to_string(outcome.main_point())},
       {"bars_class", outcome.lists.size() == 1 ? "bars one" : "bars"},
       {"bars", report_bars(outcome, bounds)},
       {"tables", report_tables(outcome, bounds)},
       {"made", fmt::format("Made by headroom pack: {} runs in {:.1f} seconds. Charts: Chart.js, "
                            "MIT licence.",
                            outcome.rows.size() * outcome.seeds.size(), outcome.seconds)}});
  return report_page({.title = "Which placement wastes least?",
                      .body = body,
                      .data = report_data(outcome, bounds),
                      .style = embedded(headroom_pack_report_css, headroom_pack_report_css_end),
                      .script = embedded(headroom_pack_report_js, headroom_pack_report_js_end)});
}

}  // namespace headroom::cli
