// The small tables, read whole or by pages; for the store and its readers. What is wrong is in the
// database's error.
#pragma once

#include <vector>

#include "store/reader.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace headroom::store {

std::vector<Token> read_tokens(Database& db);
std::vector<RoleBinding> read_roles(Database& db);
std::vector<AuditRow> read_audit(Database& db, const AuditQuery& query);

}  // namespace headroom::store
