// ReportFile: the append-only file in which a supervisor says what happened. A line that was torn
// when an earlier supervisor died is cut off. After each append the engine's ring is touched.
//
// Durable across power cuts are the lines that say how an allocation or a task ended. `begun` and
// `started` need not be: after a power cut nothing runs, and a plan of an earlier boot is never
// started.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/local_folder.h"

namespace headroom::engine {

class ReportFile {
 public:
  static base::Result<ReportFile> open(const std::string& path, std::string ring,
                                       const model::AllocationId& id);

  bool begun() const { return begun_; }
  bool ended() const { return ended_; }

  base::Result<void> try_append(const ReportLine& line);
  // Tries until it is written: an end that nobody hears of would hold its resources for ever.
  void append(const ReportLine& line);

 private:
  ReportFile() = default;
  Fd file_;
  std::string ring_;
  std::size_t size_ = 0;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace headroom::engine
