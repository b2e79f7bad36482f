// The parts of the report of `headroom pack` that are made from its outcome; pack_report.html says
// where they go. All of them are complete HTML (or JSON), with everything from outside escaped.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/pack_bounds.h"
#include "cli/pack_summary.h"

namespace headroom::cli {

using Bounds = std::map<std::string, Bound>;

std::string report_data(const PackOutcome& outcome, const Bounds& bounds);
std::string report_facts(const PackOutcome& outcome);
std::string report_selector(const PackOutcome& outcome);
std::string report_legend(const PackOutcome& outcome);
std::string report_bars(const PackOutcome& outcome, const Bounds& bounds);
std::string report_tables(const PackOutcome& outcome, const Bounds& bounds);

}  // namespace headroom::cli
