// The report of `headroom pack`: one HTML page that needs nothing but itself.
#pragma once

#include <map>
#include <string>

#include "cli/pack_bounds.h"
#include "cli/pack_summary.h"

namespace headroom::cli {

std::string pack_report(const PackOutcome& outcome, const std::map<std::string, Bound>& bounds);

}  // namespace headroom::cli
