// The journal's tables, read: by the store, by `verify`, and when projections are made anew. Every
// error names the file, the record and what to do.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace headroom::store {

// The records after `sequence`, each against its checksum, without gaps to the last one.
base::Result<void> read_records(
    Database& db, std::uint64_t sequence,
    const std::function<base::Result<void>(const model::Record&)>& take);

// The latest record: its sequence and checksum; those of the last one removed when none is left.
struct JournalEnd {
  std::uint64_t sequence = 0;
  std::uint64_t check = 0;
};
JournalEnd journal_end(Database& db);

// The snapshots' sequences, the latest first.
std::vector<std::uint64_t> snapshots(Database& db);
// Against its checksum.
base::Result<Snapshot> read_snapshot(Database& db, std::uint64_t sequence);
std::uint64_t checksum_of(const Snapshot& snapshot, std::uint64_t journal);

// What an operator can do about an error of SQLite; begins with "; ".
std::string advice(int code);
// The database's error with that.
tl::unexpected<base::Error> broken(const Database& db);

}  // namespace headroom::store
