#include "store/rebuild.h"

#include <fmt/format.h>

#include <array>

#include "base/digest.h"
#include "store/journal.h"
#include "store/projection.h"
#include "store/record_row.h"
#include "store/usage.h"

namespace headroom::store {

namespace {

// The tables whose rows change, and which rows still can.
struct Changing {
  const char* table;
  std::string live;
};
const std::array<Changing, 5>& changing() {
  static const std::array<Changing, 5> tables = {
      {{"jobs", "state < 5"},
       {"allocations", "ended = 0"},
       {"uses", fmt::format("until = {}", kOpen.value())},
       {"nodes", fmt::format("until = {}", kOpen.value())},
       {"held", "1"}}};
  return tables;
}

}  // namespace

void make_baseline_tables(Database& db) {
  for (const Changing& one : changing()) {
    db.run(fmt::format("CREATE TABLE base_{0} AS SELECT * FROM {0} WHERE 0", one.table));
  }
}

void keep_baseline(Database& db, std::uint64_t sequence, base::Time time) {
  for (const Changing& one : changing()) {
    db.run(fmt::format("DELETE FROM base_{0}; INSERT INTO base_{0} SELECT * FROM {0} WHERE {1}",
                       one.table, one.live));
  }
  Statement(db, "UPDATE head SET baseline = ?, baseline_time = ?").run(sequence, time);
}

base::Result<void> rebuild(Database& db) {
  Statement head(db, "SELECT baseline FROM head");
  const std::int64_t baseline = head.first() ? head.integer(0) : 0;
  head.reset();
  for (const Changing& one : changing()) {
    const bool dated = one.live != "1";
    db.run(fmt::format("DELETE FROM {0} WHERE {1}{2}; INSERT INTO {0} SELECT * FROM base_{0}",
                       one.table, one.live,
                       dated ? fmt::format(" OR changed > {}", baseline) : std::string()));
  }
  db.run(fmt::format("DELETE FROM events WHERE changed > {0}; DELETE FROM specs WHERE id > {0}",
                     baseline));
  if (!db.ok()) return broken(db);
  Projection projection(db);
  return read_records(db, static_cast<std::uint64_t>(baseline),
                      [&](const model::Record& record) -> base::Result<void> {
                        projection.apply(record);
                        if (!db.ok()) return broken(db);
                        return {};
                      });
}

std::string digest_of_projections(Database& db) {
  std::string lines;
  for (const char* table :
       {"jobs", "specs", "allocations", "events", "uses", "held", "gpu_models", "nodes"}) {
    Statement rows(db, fmt::format("SELECT * FROM {}", table));
    base::Digest digest;
    for (bool row = rows.first(); row; row = rows.next()) {
      base::Digest one;
      for (int column = 0; column < rows.columns(); ++column) one.add(digest_of(rows.blob(column)));
      digest.unordered(one);
    }
    lines += fmt::format("{} {}\n", table, base::to_hex(digest.value()));
  }
  return lines;
}

}  // namespace headroom::store
