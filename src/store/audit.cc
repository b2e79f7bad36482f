#include "store/audit.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

namespace headroom::store {

std::string first_audit_hash() { return std::string(std::size_t{2} * SHA256_DIGEST_LENGTH, '0'); }

std::string sha256(const std::string& bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash.data());
  std::string hex;
  for (const unsigned char byte : hash) hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string audit_hash(const std::string& hash_before, const AuditEntry& entry) {
  std::string all = hash_before;
  for (const std::string& field :
       {std::to_string(entry.time.value()), entry.actor, entry.via, entry.address, entry.verb,
        entry.object, entry.outcome, entry.detail, entry.request}) {
    all += fmt::format("{}:{},", field.size(), field);
  }
  return sha256(all);
}

}  // namespace headroom::store
