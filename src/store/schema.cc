#include "store/schema.h"

#include <fmt/format.h>

#include "store/projection.h"
#include "store/rebuild.h"

namespace headroom::store {

namespace {

// `checksum` of the journal: record_row.h. Of a snapshot: `journal` is the checksum of its last
// record, `checksum` that of the row.
constexpr const char* kJournal = R"(
CREATE TABLE journal (
  sequence INTEGER PRIMARY KEY, version INTEGER NOT NULL, time INTEGER NOT NULL,
  bytes BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE snapshots (
  sequence INTEGER PRIMARY KEY, digest INTEGER NOT NULL, time INTEGER NOT NULL,
  bytes BLOB NOT NULL, journal INTEGER NOT NULL, checksum INTEGER NOT NULL);
-- The epoch of the writer, the last record that retention has removed, and the record of which the
-- base_ tables are (rebuild.h).
CREATE TABLE head (
  one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL,
  removed INTEGER NOT NULL, removed_checksum INTEGER NOT NULL,
  baseline INTEGER NOT NULL, baseline_time INTEGER NOT NULL);
INSERT INTO head VALUES (1, 0, 0, 0, 0, 0);
CREATE TABLE site (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL);
CREATE TABLE tokens (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL,
  scopes BLOB NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL,
  last_used INTEGER NOT NULL, revoked INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE roles (
  subject TEXT NOT NULL, queue TEXT NOT NULL, role TEXT NOT NULL,
  PRIMARY KEY (subject, queue, role)) WITHOUT ROWID;
CREATE TABLE answers (
  user TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, status INTEGER NOT NULL,
  body TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (user, key)) WITHOUT ROWID;
CREATE INDEX answers_time ON answers (time);
CREATE TABLE audit (
  id INTEGER PRIMARY KEY, time INTEGER NOT NULL, actor TEXT NOT NULL, via TEXT NOT NULL,
  address TEXT NOT NULL, verb TEXT NOT NULL, object TEXT NOT NULL, outcome TEXT NOT NULL,
  detail TEXT NOT NULL, request TEXT NOT NULL, hash TEXT NOT NULL);
)";

std::int64_t pragma(Database& db, const char* sql) {
  Statement ask(db, sql);
  return ask.first() ? ask.integer(0) : 0;
}

}  // namespace

base::Result<Found> look_at(Database& db) {
  const std::int64_t application = pragma(db, "PRAGMA application_id");
  const std::int64_t version = pragma(db, "PRAGMA user_version");
  const std::int64_t tables = pragma(db, "SELECT count(*) FROM sqlite_master");
  if (!db.ok()) {
    if ((db.code() & 0xff) != SQLITE_NOTADB) return db.failure();
    return base::fail(db.path() + ": this is not a store of headroom (no SQLite file)");
  }
  if (application == 0 && version == 0 && tables == 0) return Found::kNothing;
  if (application != kApplicationId) {
    return base::fail(db.path() + ": this is an SQLite file of another program");
  }
  if (version > kSchemaVersion) {
    return base::fail(fmt::format(
        "{}: its format is version {}; this program reads up to {}: use the newer headroom",
        db.path(), version, kSchemaVersion));
  }
  return Found::kStore;
}

void make_tables(Database& db, Found found) {
  if (found == Found::kStore) return;
  db.run(kJournal);
  db.run(kProjectionTables);
  make_baseline_tables(db);
  db.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", kApplicationId,
                     kSchemaVersion));
}

}  // namespace headroom::store
