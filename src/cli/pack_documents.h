// What `headroom pack` prints: a document for each output form. Pure text; docs/cli.md describes
// the forms, and their names of fields and columns are stable.
#pragma once

#include <string>

#include "cli/pack_summary.h"
#include "cli/table.h"

namespace headroom::cli {

// For people: one table with a row per list and placement at the main point, then each list's
// medians at the points, and the headline.
std::string pack_table(const PackOutcome& outcome, const TableStyle& style);

// For pipes: plain columns, a row per list, placement and point with every statistic.
std::string pack_wide(const PackOutcome& outcome);

// {"rows":[{"tasks","placement","seeds","at":{"100":{"allocated":{"median","mean","sd","min",
// "max"},"fragment","fragment_rate"}},"digests":{"42":"…"}}],"cluster","arrive","seconds"}. The
// standard deviation over a single seed is null.
std::string pack_json(const PackOutcome& outcome);

// A line per run and point.
std::string pack_csv(const PackOutcome& outcome);

}  // namespace headroom::cli
