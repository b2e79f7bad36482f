#include "server/access/may.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace headroom::server::access {
namespace {

using enum Role;

constexpr Role kRoles[] = {kNone, kViewer, kUser, kQueueAdmin, kOperator, kAdmin};

// What the design says, written down once more: the lowest role for one's own and for another's.
struct Expected {
  Action action;
  Role own;
  Role others;
};
constexpr Expected kExpected[] = {
    {Action::kSeeCluster, kNone, kNone},
    {Action::kSeeJob, kNone, kViewer},
    {Action::kSeeUsage, kNone, kViewer},
    {Action::kReadLogs, kNone, kQueueAdmin},
    {Action::kSubmit, kUser, kQueueAdmin},
    {Action::kCancel, kNone, kQueueAdmin},
    {Action::kControl, kUser, kQueueAdmin},
    {Action::kLowerPriority, kUser, kQueueAdmin},
    {Action::kRaisePriority, kQueueAdmin, kQueueAdmin},
    {Action::kDrain, kOperator, kOperator},
    {Action::kApply, kAdmin, kAdmin},
    {Action::kManageTokens, kNone, kAdmin},
    {Action::kSeeRoles, kOperator, kOperator},
    {Action::kManageRoles, kAdmin, kAdmin},
    {Action::kReadAudit, kOperator, kOperator},
};

void give(Roles& roles, const std::string& subject, Role role, const std::string& queue) {
  if (role != kNone) roles.bind({subject, std::string(role_name(role)), queue});
}

// Every action, by every role, bound above, at, below and beside the queue and for the whole
// cluster, on one's own and another's.
TEST(May, EveryCaseOfTheTable) {
  ASSERT_EQ(std::size(kExpected), rules().size());
  const Principal ana{.user = "ana", .via = "socket"};
  int cases = 0;
  for (const Expected& expected : kExpected) {
    for (const Role role : kRoles) {
      for (const std::string bound : {"", "a", "a/b", "a/b/c", "a/bb", "z"}) {
        Roles roles;
        give(roles, "ana", role, bound);
        const bool holds = bound.empty() || bound == "a" || bound == "a/b";
        const Role has = holds ? role : kNone;
        for (const std::string owner : {"ana", "ben", ""}) {
          const bool allowed = has >= (owner == "ana" ? expected.own : expected.others);
          const auto said = may(roles, ana, expected.action, "a/b", owner);
          EXPECT_EQ(said.has_value(), allowed)
              << rules()[static_cast<std::size_t>(expected.action)].name << " as "
              << role_name(role) << " at " << bound << " of " << owner;
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(cases, 15 * 6 * 6 * 3);
}

TEST(May, TheWholeClusterTakesABindingForTheWholeCluster) {
  Roles roles;
  give(roles, "ana", kAdmin, "research");
  const Principal ana{.user = "ana", .via = "socket"};
  EXPECT_FALSE(may(roles, ana, Action::kDrain, "", ""));
  EXPECT_FALSE(may(roles, ana, Action::kApply, "", ""));
  give(roles, "ana", kOperator, "");
  EXPECT_TRUE(may(roles, ana, Action::kDrain, "", ""));
  EXPECT_FALSE(may(roles, ana, Action::kApply, "", ""));
}

TEST(May, GroupsEverybodyAndAdminsByTheSocket) {
  Roles roles;
  give(roles, "@hpc", kUser, "a");
  give(roles, "*", kViewer, "");
  const Principal member{.user = "ana", .via = "socket", .groups = {"staff", "hpc"}};
  const Principal other{.user = "hpc", .via = "socket", .groups = {"staff"}};
  EXPECT_EQ(roles.of(member, "a/b"), kUser);
  EXPECT_EQ(roles.of(member, "b"), kViewer);
  EXPECT_EQ(roles.of(other, "a"), kViewer);
  EXPECT_EQ(roles.of(Principal{.user = "x", .admin = true}, ""), kAdmin);
  roles.unbind({"*", "viewer", ""});
  EXPECT_EQ(roles.of(other, "a"), kNone);
}

TEST(May, ATokenIsHeldToItsScopes) {
  Roles roles;
  give(roles, "ana", kAdmin, "");
  for (const std::string_view scope : scopes()) {
    const Principal token{.user = "ana", .via = "k3y", .scopes = {std::string(scope)}};
    for (const Rule& rule : rules()) {
      EXPECT_EQ(may(roles, token, rule.action, "", "").has_value(), rule.scope == scope)
          << rule.name << " with " << scope;
    }
  }
}

TEST(May, AnAdminBySocketIsHeldToNoScope) {
  const Roles roles;
  const Principal root{.user = "root", .via = "socket", .admin = true};
  for (const Rule& rule : rules()) EXPECT_TRUE(may(roles, root, rule.action, "", ""));
}

TEST(May, ATokenGrantsNoMoreThanItHas) {
  const Principal all{.user = "ana", .via = "socket"};
  const Principal some{.user = "ana", .via = "k3y", .scopes = {"read", "tokens"}};
  EXPECT_TRUE(may_grant(all, {}));
  EXPECT_TRUE(may_grant(all, {"jobs"}));
  EXPECT_FALSE(may_grant(all, {"everything"}));
  EXPECT_TRUE(may_grant(some, {"read"}));
  EXPECT_FALSE(may_grant(some, {"read", "jobs"}));
  EXPECT_FALSE(may_grant(some, {}));  // no scopes are all scopes
}

TEST(May, TheErrorSaysWhatItTakes) {
  Roles roles;
  give(roles, "ana", kUser, "a");
  const Principal ana{.user = "ana", .via = "k3y", .scopes = {"read", "jobs"}};
  EXPECT_EQ(may(roles, ana, Action::kCancel, "a/b", "ben").error().message,
            "ana may not cancel for user ben in queue a/b: it takes the role queue-admin, and ana "
            "has user");
  EXPECT_EQ(may(roles, ana, Action::kSubmit, "z", "ana").error().message,
            "ana may not submit in queue z: it takes the role user, and ana has none");
  EXPECT_EQ(may(roles, ana, Action::kDrain, "", "").error().message,
            "ana may not drain a node: it takes the scope nodes, and token k3y has read, jobs");
}

TEST(May, BindingsAreChecked) {
  EXPECT_TRUE(check_binding({"ana", "queue-admin", "a"}));
  EXPECT_FALSE(check_binding({"", "user", ""}));
  EXPECT_FALSE(check_binding({"@", "user", ""}));
  EXPECT_FALSE(check_binding({"ana", "none", ""}));
  EXPECT_FALSE(check_binding({"ana", "Admin", ""}));
}

TEST(May, TheDocumentHasTheTable) {
  std::ifstream file(HEADROOM_SOURCE_DIR "/docs/server.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text.find(access_table()), std::string::npos) << "docs/server.md should have:\n"
                                                          << access_table();
}

}  // namespace
}  // namespace headroom::server::access
