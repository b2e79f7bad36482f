// Walks over the lines of a text of rows: what the readers of histories share. Strict: the first
// bad row is the error. Lenient: bad rows are counted in the history, the first few with their
// reason.
//
//   for_each_line("a.trace", text, strictness, history,
//                 [](std::string_view line, int number) -> base::Result<void> { … });
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/rows.h"
#include "model/history.h"

namespace headroom::formats {

// What bad rows are counted as.
inline constexpr std::string_view kBadRows = "the row cannot be read";

// Counts a bad row and keeps the first few messages as notes (lenient), or returns it (strict).
base::Result<void> bad_history_row(std::string message, Strictness strictness,
                                   model::History& history);

// Calls `parse` for every line, without its newline; its errors get the place in front. A line that
// the end of the file cuts is a bad row. Carriage returns before the newline are dropped.
base::Result<void> for_each_line(
    const std::string& name, std::string_view text, Strictness strictness, model::History& history,
    const std::function<base::Result<void>(std::string_view line, int number)>& parse);

}  // namespace headroom::formats
