// The report of `headroom simulate`: one HTML page that needs nothing but itself. The same runs
// give the same bytes.
#pragma once

#include <string>
#include <vector>

#include "cli/simulate.h"

namespace headroom::cli {

// At most so many rows of runs and lines of waits; the page says when there are more.
constexpr std::size_t kMostRows = 1000;
constexpr std::size_t kMostLines = 24;

// The runs that the simulation draws must have kept their results.
std::string simulate_report(const SimulateOptions& options, const Simulation& simulation,
                            const std::vector<SimulateRun>& runs);

}  // namespace headroom::cli
