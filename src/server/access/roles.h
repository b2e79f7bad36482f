// Roles are bound to users at queues and hold there and below. Each includes those before it.
//
//   viewer       sees everybody's jobs and use
//   user         submits, and does what one does with one's own jobs
//   queue-admin  does the same with everybody's, and raises priorities
//   operator     drains nodes, reads the audit trail
//   admin        changes the cluster, roles and others' tokens
//
// A binding's subject is a user, "@GROUP" (of the machine) or "*" (whoever is known). The queue ""
// is the whole cluster. What a user has is the highest of what is bound.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/access/principal.h"
#include "store/store.h"

namespace headroom::server::access {

enum class Role : std::uint8_t { kNone, kViewer, kUser, kQueueAdmin, kOperator, kAdmin };

std::string_view role_name(Role role);  // "none", "viewer", "user", "queue-admin", …
std::optional<Role> parse_role(std::string_view name);

// The error is one line: an unknown role, an empty subject.
base::Result<void> check_binding(const store::RoleBinding& binding);

// All bindings, as they are stored. Any thread; O(bindings).
class Roles {
 public:
  void bind(const store::RoleBinding& binding);
  void unbind(const store::RoleBinding& binding);
  std::vector<store::RoleBinding> list() const;  // by subject, queue, role

  Role of(const Principal& principal, std::string_view queue) const;

 private:
  mutable std::mutex lock_;
  std::vector<store::RoleBinding> bindings_;
};

}  // namespace headroom::server::access
