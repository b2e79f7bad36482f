// What the tasks of an allocation wrote, one log a rank (standard output and error together), and
// how to read it while it grows. A log is a stream of bytes that are numbered from 0 and never
// change; of a long one only the last part is kept. It is stored in segments, named after the
// number of their first byte, so that readers and the writer need no lock:
//
//   <folder>/<rank>.<first byte, 20 digits>
//
// A reader gives numbers (allocation, rank, offset) and never a path, so it cannot leave the
// folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/posix.h"

namespace headroom::engine {

struct LogExtent {
  std::int64_t first = 0;  // the oldest byte that is kept
  std::int64_t end = 0;    // one past the newest
  friend bool operator==(const LogExtent&, const LogExtent&) = default;
};

struct LogPiece {
  std::int64_t offset = 0;  // of its first byte: that asked for, or the oldest that is kept
  std::string bytes;        // empty at the end
  std::int64_t next() const { return offset + static_cast<std::int64_t>(bytes.size()); }
};

// Any thread may read. Errors: no such log (nothing was started, or it was removed).
class LocalLogs {
 public:
  // `engine_folder`: LocalOptions::folder.
  explicit LocalLogs(std::string engine_folder) : folder_(std::move(engine_folder)) {}

  base::Result<LogExtent> extent(const model::AllocationId& id, std::int64_t rank) const;
  // At most `most` bytes from `offset` on. To follow: read at next() again after a while.
  base::Result<LogPiece> read(const model::AllocationId& id, std::int64_t rank, std::int64_t offset,
                              std::int64_t most) const;
  // The last lines, at most `most` bytes of them.
  base::Result<LogPiece> tail(const model::AllocationId& id, std::int64_t rank, std::int64_t lines,
                              std::int64_t most) const;
  // Of all ranks. What is not there is no error.
  void remove(const model::AllocationId& id) const;

 private:
  std::string folder_;
};

// Appends to one rank's log. A segment that is full is followed by a new one; of `keep` segments
// and more, the oldest goes. One process writes.
class LogWriter {
 public:
  LogWriter(std::string folder, std::int64_t rank, std::int64_t segment, int keep);

  base::Result<void> open();
  base::Result<void> append(std::string_view bytes);

 private:
  std::string path(std::int64_t first) const;
  std::string folder_;
  std::int64_t rank_;
  std::int64_t segment_;
  int keep_;
  std::int64_t first_ = 0;  // of the segment that is written
  std::int64_t size_ = 0;   // its
  Fd file_;
};

}  // namespace headroom::engine
