#include "server/access/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "formats/one_line.h"

namespace headroom::server::access {

namespace {

constexpr std::array<std::string_view, 6> kNames = {"none",        "viewer",   "user",
                                                    "queue-admin", "operator", "admin"};

bool is_meant(const std::string& subject, const Principal& principal) {
  if (subject == "*" || subject == principal.user) return true;
  return subject.starts_with('@') &&
         std::ranges::find(principal.groups, subject.substr(1)) != principal.groups.end();
}

// Whether `queue` is `top` or below it.
bool is_within(std::string_view queue, std::string_view top) {
  return top.empty() || queue == top ||
         (queue.size() > top.size() && queue.starts_with(top) && queue[top.size()] == '/');
}

}  // namespace

std::string_view role_name(Role role) { return kNames[static_cast<std::size_t>(role)]; }

std::optional<Role> parse_role(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name);
  if (found == kNames.end() || found == kNames.begin()) return std::nullopt;
  return static_cast<Role>(found - kNames.begin());
}

base::Result<void> check_binding(const store::RoleBinding& binding) {
  if (binding.subject.empty() || binding.subject == "@") {
    return base::fail("subject: '' is not a user, @GROUP or *");
  }
  if (!formats::is_one_line(binding.subject) || !formats::is_one_line(binding.queue)) {
    return base::fail("subject, queue: has a control character");
  }
  if (!parse_role(binding.role)) {
    return base::fail(fmt::format(
        "role: '{}' is not one of viewer, user, queue-admin, operator, admin", binding.role));
  }
  return {};
}

void Roles::bind(const store::RoleBinding& binding) {
  const std::lock_guard guard(lock_);
  if (std::ranges::find(bindings_, binding) == bindings_.end()) bindings_.push_back(binding);
}

void Roles::unbind(const store::RoleBinding& binding) {
  const std::lock_guard guard(lock_);
  std::erase(bindings_, binding);
}

std::vector<store::RoleBinding> Roles::list() const {
  std::vector<store::RoleBinding> sorted;
  {
    const std::lock_guard lock(lock_);
    sorted = bindings_;
  }
  const auto key = [](const store::RoleBinding& one) {
    return std::tie(one.subject, one.queue, one.role);
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return sorted;
}

Role Roles::of(const Principal& principal, std::string_view queue) const {
  if (principal.admin) return Role::kAdmin;
  const std::lock_guard guard(lock_);
  Role highest = Role::kNone;
  for (const store::RoleBinding& binding : bindings_) {
    if (!is_within(queue, binding.queue) || !is_meant(binding.subject, principal)) continue;
    highest = std::max(highest, parse_role(binding.role).value_or(Role::kNone));
  }
  return highest;
}

}  // namespace headroom::server::access
