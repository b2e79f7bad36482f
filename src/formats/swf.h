// Reader of the Standard Workload Format of the Parallel Workloads Archive (version 2.2): lines of
// 18 whole numbers separated by blanks, -1 where a value is not known; comments begin with `;`, and
// in the header `; UnixStartTime: 1109618842` says when second 0 was.
//
//   1 job · 2 submit · 3 wait · 4 run · 5 processors · 6 CPU time · 7 memory (KB a processor) ·
//   8 processors asked for · 9 time asked for · 10 memory asked for · 11 status · 12 user ·
//   13 group · 14 program · 15 queue · 16 partition · 17 preceding job · 18 think time
//
// Processors are CPUs or, by option, GPUs. The archive does not say how they share nodes, so CPUs
// become tasks of one CPU each, and GPUs one task of up to 8 or tasks of 8 where they divide
// evenly.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/history.h"

namespace headroom::formats {

base::Result<model::History> read_swf(const std::string& name, std::string_view text,
                                      const HistoryOptions& options);

bool looks_like_swf(std::string_view text);

}  // namespace headroom::formats
