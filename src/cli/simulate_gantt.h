// The largest jobs of a replay over time, a row each, drawn as SVG: complete without JavaScript.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/simulate.h"

namespace headroom::cli {

// The jobs with most GPU time in the history (GPUs asked for x run time), so the same ones in every
// run: indices, the largest first. Jobs without GPUs are left out.
std::vector<std::uint32_t> largest_jobs(const model::History& jobs, std::size_t most);

// A table of these jobs with their numbers and a picture. Time is cut into kGanttColumns columns;
// each shows what filled most of it.
constexpr int kGanttColumns = 800;
std::string gantt_html(const SimulateRun& run, const std::vector<std::uint32_t>& jobs,
                       std::string_view caption);

}  // namespace headroom::cli
