// The audit trail is a chain: the hash of each entry covers its content and the hash of the entry
// before it, so that a changed, removed or inserted entry is found as long as the last hash is
// known.
//
//   hash = SHA-256, in hex, of: hash before (64 zeros before the first), then each of time (ms
//   since 1970), actor, via, address, verb, object, outcome, detail, request as LENGTH:BYTES,
#pragma once

#include <string>

#include "store/store.h"

namespace headroom::store {

std::string first_audit_hash();
std::string audit_hash(const std::string& hash_before, const AuditEntry& entry);

// In hex.
std::string sha256(const std::string& bytes);

}  // namespace headroom::store
