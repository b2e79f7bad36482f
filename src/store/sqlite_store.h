// The store on SQLite: one file, `headroom.db`, in a data folder (docs/store.md).
//
//   auto store = open_sqlite_store("/var/lib/headroom");
//   if (!store) … store.error().message   // names the file and what to do
//
// WAL with synchronous=FULL: a commit is one fsync. Files are 0600, the folder 0700; a lock in the
// folder refuses a second server, the epoch in the file one that came by another way. Opening
// checks the whole file (PRAGMA quick_check): O(file).
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace headroom::store {

struct SqliteOptions {
  std::string vfs;              // of SQLite; empty: the system's files. Another one has no lock
  int checkpoint_pages = 4000;  // of the WAL, then it goes into the file
};

base::Result<std::unique_ptr<Store>> open_sqlite_store(const std::string& folder,
                                                       const SqliteOptions& options = {});

// Where the file is.
std::string database_path(const std::string& folder);

}  // namespace headroom::store
