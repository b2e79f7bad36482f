// Files that are written whole.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace headroom::cli {

// A file that appears complete or not at all: it is written beside its final place and renamed when
// it is done. Creating it at the start of long work finds out early whether it can be written.
//
//   auto report = PendingFile::create("out.html");   // an Error: cannot be written
//   …
//   report->commit(text);                            // replaces what was there
class PendingFile {
 public:
  // Errors name the path and what the system said.
  static base::Result<PendingFile> create(const std::string& path);

  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();  // without commit: nothing is left behind

  base::Result<void> commit(std::string_view text);

 private:
  PendingFile(std::string path, std::string temporary, int descriptor);

  std::string path_;
  std::string temporary_;
  int descriptor_;  // -1: given away or done
};

}  // namespace headroom::cli
