// The projections made anew from the journal. Retention removes the oldest records, so that there
// is a baseline: a copy of all rows that could still change, as they were after a record that is
// kept. Rows that were final by then follow from records that are gone, and stay as they are.
//
//   keep_baseline   O(jobs that are not finished), at most once an hour
//   rebuild         O(records after the baseline)
#pragma once

#include <string>

#include "base/result.h"
#include "store/sqlite.h"

namespace headroom::store {

void make_baseline_tables(Database& db);

// The rows as they are now, after record `sequence`. Within a transaction.
void keep_baseline(Database& db, std::uint64_t sequence, base::Time time);

// Within a transaction.
base::Result<void> rebuild(Database& db);

// A digest of each projection table, "jobs 0123456789abcdef", a line each.
std::string digest_of_projections(Database& db);

}  // namespace headroom::store
