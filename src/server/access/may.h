// Who may do what: one table. A row says what scope a token needs for the action, and what role its
// principal needs at the queue: for what is its own, and for what is another's.
//
//   may(roles, principal, Action::kCancel, "research/vision", "ana")
//
// The queue "" is the whole cluster: of nodes, and of lists over all queues. The owner "" is
// nobody.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/access/principal.h"
#include "server/access/roles.h"

namespace headroom::server::access {

enum class Action : std::uint8_t {
  kSeeCluster,     // nodes, GPUs, queues, status, one's own name
  kSeeJob,         // a job, why it waits; events of it
  kSeeUsage,       // of a user in a queue
  kReadLogs,       // what a job wrote
  kSubmit,         // owner: whom the job is for
  kCancel,         // a job
  kControl,        // hold, release, requeue a job
  kLowerPriority,  // of a job
  kRaisePriority,  // of a job
  kDrain,          // and undrain a node
  kApply,          // change the cluster
  kManageTokens,   // see, make, revoke; owner: whom the token acts as
  kSeeRoles,
  kManageRoles,
  kReadAudit,
};

struct Rule {
  Action action;
  std::string_view name;
  std::string_view scope;
  Role own;
  Role others;
};

std::span<const Rule> rules();  // in the order of Action

// The error is one line for who asked: what, why not, what it takes.
base::Result<void> may(const Roles& roles, const Principal& principal, Action action,
                       std::string_view queue, std::string_view owner);

// The scopes that a token may have, in the order of the table.
std::vector<std::string_view> scopes();

// Whether this principal may hand out a token with these scopes: no more than it has itself.
base::Result<void> may_grant(const Principal& principal, const std::vector<std::string>& wanted);

// The table as docs/server.md shows it.
std::string access_table();

}  // namespace headroom::server::access
