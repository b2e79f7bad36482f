#include "server/access/may.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headroom::server::access {

namespace {

using enum Action;
using enum Role;

// clang-format off
constexpr std::array kRules = {
    //   action          name                       scope      one's own    another's
    Rule{kSeeCluster,    "see the cluster",         "read",    kNone,       kNone},
    Rule{kSeeJob,        "see a job",               "read",    kNone,       kViewer},
    Rule{kSeeUsage,      "see usage",               "read",    kNone,       kViewer},
    Rule{kReadLogs,      "read logs",               "logs",    kNone,       kQueueAdmin},
    Rule{kSubmit,        "submit",                  "jobs",    kUser,       kQueueAdmin},
    Rule{kCancel,        "cancel",                  "jobs",    kNone,       kQueueAdmin},
    Rule{kControl,       "hold, release or requeue", "jobs",   kUser,       kQueueAdmin},
    Rule{kLowerPriority, "lower a priority",        "jobs",    kUser,       kQueueAdmin},
    Rule{kRaisePriority, "raise a priority",        "jobs",    kQueueAdmin, kQueueAdmin},
    Rule{kDrain,         "drain a node",            "nodes",   kOperator,   kOperator},
    Rule{kApply,         "change the cluster",      "cluster", kAdmin,      kAdmin},
    Rule{kManageTokens,  "manage tokens",           "tokens",  kNone,       kAdmin},
    Rule{kSeeRoles,      "see roles",               "access",  kOperator,   kOperator},
    Rule{kManageRoles,   "change roles",            "access",  kAdmin,      kAdmin},
    Rule{kReadAudit,     "read the audit trail",    "access",  kOperator,   kOperator},
};
// clang-format on

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (kRules[i].action != static_cast<Action>(i)) return false;
  }
  return true;
}
static_assert(is_in_order());

bool has(const std::vector<std::string>& scopes, std::string_view scope) {
  return scopes.empty() || std::ranges::find(scopes, scope) != scopes.end();
}

template <class Texts>
std::string joined(const Texts& texts) {
  std::string all;
  for (const auto& text : texts) all.append(all.empty() ? "" : ", ").append(text);
  return all;
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

base::Result<void> may(const Roles& roles, const Principal& principal, Action action,
                       std::string_view queue, std::string_view owner) {
  const Rule& rule = kRules[static_cast<std::size_t>(action)];
  const std::string& user = principal.user;
  if (!has(principal.scopes, rule.scope)) {
    return base::fail(fmt::format("{} may not {}: it takes the scope {}, and token {} has {}", user,
                                  rule.name, rule.scope, principal.via, joined(principal.scopes)));
  }
  const bool own = !owner.empty() && owner == user;
  const Role needed = own ? rule.own : rule.others;
  const Role held = roles.of(principal, queue);
  if (held >= needed) return {};
  const std::string whose = own || owner.empty() ? "" : fmt::format(" for user {}", owner);
  const std::string where =
      queue.empty() ? "in the whole cluster" : fmt::format("in queue {}", queue);
  return base::fail(fmt::format("{} may not {}{} {}: it takes the role {}, and {} has {}", user,
                                rule.name, whose, where, role_name(needed), user, role_name(held)));
}

std::vector<std::string_view> scopes() {
  std::vector<std::string_view> all;
  for (const Rule& rule : kRules) {
    if (std::ranges::find(all, rule.scope) == all.end()) all.push_back(rule.scope);
  }
  return all;
}

base::Result<void> may_grant(const Principal& principal, const std::vector<std::string>& wanted) {
  const auto all = scopes();
  for (const std::string& scope : wanted) {
    if (std::ranges::find(all, scope) == all.end()) {
      return base::fail(fmt::format("scopes: '{}' is not one of {}", scope, joined(all)));
    }
  }
  if (principal.scopes.empty()) return {};
  const bool within = !wanted.empty() && std::ranges::all_of(wanted, [&](const auto& scope) {
    return has(principal.scopes, scope);
  });
  if (within) return {};
  return base::fail(fmt::format("scopes: a token made with token {} has at most its scopes: {}",
                                principal.via, joined(principal.scopes)));
}

std::string access_table() {
  std::string table = "| action | scope | one's own | another's |\n|---|---|---|---|\n";
  const auto cell = [](Role role) { return role == kNone ? "whoever is known" : role_name(role); };
  for (const Rule& rule : kRules) {
    table += fmt::format("| {} | `{}` | {} | {} |\n", rule.name, rule.scope, cell(rule.own),
                         cell(rule.others));
  }
  return table;
}

}  // namespace headroom::server::access
