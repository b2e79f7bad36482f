#include "store/tables.h"

#include <limits>

#include "base/archive.h"

namespace headroom::store {

std::vector<Token> read_tokens(Database& db) {
  std::vector<Token> found;
  Statement rows(db,
                 "SELECT id, hash, user, name, scopes, created, expires, last_used, revoked "
                 "FROM tokens ORDER BY id");
  for (bool row = rows.first(); row; row = rows.next()) {
    found.push_back({.id = std::string(rows.text(0)),
                     .hash = std::string(rows.text(1)),
                     .user = std::string(rows.text(2)),
                     .name = std::string(rows.text(3)),
                     .scopes = base::Reader(rows.blob(4)).get<std::vector<std::string>>(),
                     .created = rows.quantity<base::Time>(5),
                     .expires = rows.quantity<base::Time>(6),
                     .last_used = rows.quantity<base::Time>(7),
                     .revoked = rows.integer(8) != 0});
  }
  return found;
}

std::vector<RoleBinding> read_roles(Database& db) {
  std::vector<RoleBinding> found;
  Statement rows(db, "SELECT subject, role, queue FROM roles ORDER BY subject, queue, role");
  for (bool row = rows.first(); row; row = rows.next()) {
    found.push_back({.subject = std::string(rows.text(0)),
                     .role = std::string(rows.text(1)),
                     .queue = std::string(rows.text(2))});
  }
  return found;
}

std::vector<AuditRow> read_audit(Database& db, const AuditQuery& query) {
  const std::string columns =
      "SELECT id, time, actor, via, address, verb, object, outcome, detail, request, hash "
      "FROM audit WHERE id ";
  Statement rows(
      db, columns + (query.newest_first ? "< ? ORDER BY id DESC" : "> ? ORDER BY id") + " LIMIT ?");
  const bool from_end = query.newest_first && query.after == 0;
  const std::int64_t after = from_end ? std::numeric_limits<std::int64_t>::max() : query.after;
  std::vector<AuditRow> found;
  for (bool row = rows.first(after, query.limit); row; row = rows.next()) {
    found.push_back({.id = rows.integer(0),
                     .entry = {.time = rows.quantity<base::Time>(1),
                               .actor = std::string(rows.text(2)),
                               .via = std::string(rows.text(3)),
                               .address = std::string(rows.text(4)),
                               .verb = std::string(rows.text(5)),
                               .object = std::string(rows.text(6)),
                               .outcome = std::string(rows.text(7)),
                               .detail = std::string(rows.text(8)),
                               .request = std::string(rows.text(9))},
                     .hash = std::string(rows.text(10))});
  }
  return found;
}

}  // namespace headroom::store
