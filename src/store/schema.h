// Schema: the tables of a store, and the versions of them.
//
// A file carries our application id and the version of its tables. An older version is brought up
// to date at open, one step after the other; a newer one is refused.
#pragma once

#include "base/result.h"
#include "store/sqlite.h"

namespace headroom::store {

constexpr std::int64_t kApplicationId = 0x4872'6d31;  // "Hrm1"
constexpr std::int64_t kSchemaVersion = 1;

// Is this one of our stores, of a version that we read? A new file: no error, `kNothing`.
enum class Found : std::uint8_t { kNothing, kStore };
base::Result<Found> look_at(Database& db);

// Makes the tables of a new store, or those that are missing in an older one. Within a transaction.
void make_tables(Database& db, Found found);

}  // namespace headroom::store
