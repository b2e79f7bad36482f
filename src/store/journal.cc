#include "store/journal.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "store/record_row.h"

namespace headroom::store {

using base::Result;

namespace {

// The checksum of this record, kept or removed.
Result<std::uint64_t> check_at(Database& db, std::uint64_t sequence) {
  if (sequence == 0) return kFirstCheck;
  Statement find(db,
                 "SELECT checksum FROM journal WHERE sequence = ?1 UNION ALL "
                 "SELECT journal FROM snapshots WHERE sequence = ?1 UNION ALL "
                 "SELECT removed_checksum FROM head WHERE removed = ?1");
  if (find.first(sequence)) return static_cast<std::uint64_t>(find.integer(0));
  if (!db.ok()) return broken(db);
  return base::fail(
      fmt::format("{}: record {} is not there{}", db.path(), sequence, advice(SQLITE_CORRUPT)));
}

}  // namespace

Result<void> read_records(Database& db, std::uint64_t sequence,
                          const std::function<Result<void>(const model::Record&)>& take) {
  Result<std::uint64_t> check = check_at(db, sequence);
  if (!check) return tl::unexpected(check.error());
  Statement rows(db,
                 "SELECT sequence, version, time, bytes, checksum FROM journal "
                 "WHERE sequence > ? ORDER BY sequence");
  std::uint64_t before = sequence;
  for (bool row = rows.first(sequence); row; row = rows.next()) {
    const RecordRow one{.sequence = static_cast<std::uint64_t>(rows.integer(0)),
                        .version = rows.integer(1),
                        .time = rows.quantity<base::Time>(2),
                        .bytes = std::string(rows.blob(3)),
                        .check = static_cast<std::uint64_t>(rows.integer(4))};
    if (one.sequence != before + 1) break;
    const Result<model::Record> record = read_record(one, *check);
    if (!record) {
      return base::fail(
          fmt::format("{}: {}{}", db.path(), record.error().message, advice(SQLITE_CORRUPT)));
    }
    if (auto taken = take(*record); !taken) return taken;
    check = one.check;
    before = one.sequence;
  }
  if (!db.ok()) return broken(db);
  if (before == journal_end(db).sequence) return {};
  return base::fail(
      fmt::format("{}: record {} is missing{}", db.path(), before + 1, advice(SQLITE_CORRUPT)));
}

JournalEnd journal_end(Database& db) {
  Statement last(db,
                 "SELECT sequence, checksum FROM journal UNION ALL "
                 "SELECT removed, removed_checksum FROM head ORDER BY 1 DESC LIMIT 1");
  if (!last.first()) return {};
  return {static_cast<std::uint64_t>(last.integer(0)), static_cast<std::uint64_t>(last.integer(1))};
}

std::vector<std::uint64_t> snapshots(Database& db) {
  std::vector<std::uint64_t> found;
  Statement rows(db, "SELECT sequence FROM snapshots ORDER BY sequence DESC");
  for (bool row = rows.first(); row; row = rows.next()) {
    found.push_back(static_cast<std::uint64_t>(rows.integer(0)));
  }
  return found;
}

Result<Snapshot> read_snapshot(Database& db, std::uint64_t sequence) {
  Statement find(db,
                 "SELECT digest, time, bytes, journal, checksum FROM snapshots WHERE sequence = ?");
  const bool there = find.first(sequence);
  if (!db.ok()) return broken(db);
  const auto wrong = [&](const char* what) {
    return base::fail(fmt::format("{}: snapshot of record {}: it is {}{}", db.path(), sequence,
                                  what, advice(SQLITE_CORRUPT)));
  };
  if (!there) return wrong("not there");
  Snapshot found{.sequence = sequence,
                 .digest = static_cast<std::uint64_t>(find.integer(0)),
                 .time = find.quantity<base::Time>(1),
                 .bytes = std::string(find.blob(2))};
  const std::uint64_t sum = checksum_of(found, static_cast<std::uint64_t>(find.integer(3)));
  if (sum != static_cast<std::uint64_t>(find.integer(4))) return wrong("damaged");
  return found;
}

std::uint64_t checksum_of(const Snapshot& snapshot, std::uint64_t journal) {
  base::Digest digest;
  digest.add(snapshot.sequence);
  digest.add(snapshot.digest);
  digest.add(snapshot.time.value());
  digest.add(digest_of(snapshot.bytes));
  digest.add(journal);
  return digest.value();
}

std::string advice(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "; the disk is full: make room and start again";
    case SQLITE_READONLY:
      return "; it cannot be written: look at the mount and at who owns the file";
    case SQLITE_IOERR:
      return "; look at the disk (dmesg), then start again";
    case SQLITE_CORRUPT:
      return "; the file is damaged: `headroom verify`, then `headroom restore` the last backup";
    default:
      return "";
  }
}

tl::unexpected<base::Error> broken(const Database& db) {
  return base::fail(db.error() + advice(db.code()));
}

}  // namespace headroom::store
