// FolderLock: one server a data folder. Holds `lock` in the folder until it goes; the file says
// which process holds it. Works between processes of one machine (flock); across machines the epoch
// does.
#pragma once

#include <string>

#include "base/result.h"

namespace headroom::store {

class FolderLock {
 public:
  // Makes the folder (0700) when there is none. The error names the process that has it.
  static base::Result<FolderLock> take(const std::string& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace headroom::store
