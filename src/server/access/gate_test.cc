#include "server/access/gate.h"

#include <gtest/gtest.h>

namespace headroom::server::access {
namespace {

using namespace std::chrono_literals;
constexpr base::Time kNow{1'796'040'000'000};

class GateTest : public testing::Test {
 protected:
  static net::Request request(const std::string& authorization, std::optional<std::uint32_t> uid) {
    net::Request made{.id = "r1"};
    if (!authorization.empty()) made.headers = {{"authorization", authorization}};
    made.peer = uid ? net::Peer{.kind = net::Peer::Kind::kSocket,
                                .address = "socket",
                                .uid = uid,
                                .user = "u" + std::to_string(*uid)}
                    : net::Peer{.address = "127.0.0.1:4000"};
    return made;
  }
  auto admit(const std::string& authorization, std::optional<std::uint32_t> uid = {}) {
    return gate_.admit(request(authorization, uid), kNow, clock_);
  }

  Tokens tokens_;
  std::chrono::steady_clock::time_point clock_;
  Gate gate_{
      tokens_,
      {.own_uid = 7,
       .rate = 1,
       .burst = 2,
       .refused_rate = 1,
       .refused_burst = 3,
       .groups_of = [](const std::string& user) { return std::vector<std::string>{user + "s"}; }}};
};

TEST_F(GateTest, TheSocketSaysWhoItIs) {
  const auto ana = admit("", 1000);
  ASSERT_TRUE(ana);
  EXPECT_EQ(ana->user, "u1000");
  EXPECT_EQ(ana->via, "socket");
  EXPECT_EQ(ana->groups, std::vector<std::string>{"u1000s"});
  EXPECT_FALSE(ana->admin);
  EXPECT_TRUE(admit("", 0)->admin);
  EXPECT_TRUE(admit("", 7)->admin);
}

TEST_F(GateTest, ATokenCountsEverywhereAndIsNotAdminBySocket) {
  const NewToken made = make_token("ana", "laptop", {"read"}, kNow, {});
  tokens_.put(made.token);
  for (const std::optional<std::uint32_t> uid : {std::optional<std::uint32_t>(), {0U}}) {
    const auto ana = admit("Bearer " + made.text, uid);
    ASSERT_TRUE(ana);
    EXPECT_EQ(ana->user, "ana");
    EXPECT_EQ(ana->via, made.token.id);
    EXPECT_EQ(ana->scopes, std::vector<std::string>{"read"});
    EXPECT_FALSE(ana->admin);
  }
}

TEST_F(GateTest, WhoIsUnknownIsToldWhy) {
  const NewToken stranger = make_token("ana", "", {}, kNow, {});
  const auto refused = admit("Bearer " + stranger.text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, 401);
  EXPECT_NE(refused.error().body.find("the token is unknown"), std::string::npos);
  EXPECT_EQ(refused.error().body.find(stranger.text.substr(12)), std::string::npos);
  EXPECT_EQ(admit("").error().status, 401);
  EXPECT_EQ(admit("Basic YTpi").error().status, 401);
  // Guessing gets slower; the token of the machine's other users still counts.
  EXPECT_EQ(admit("").error().status, 429);
  tokens_.put(stranger.token);
  EXPECT_TRUE(admit("Bearer " + stranger.text));
  // A wrong token over the socket is not made good by who sent it.
  EXPECT_EQ(admit("Bearer hr_x", 0).error().status, 401);
}

TEST_F(GateTest, EachUserHasARate) {
  EXPECT_TRUE(admit("", 1000));
  EXPECT_TRUE(admit("", 1000));
  const auto refused = admit("", 1000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, 429);
  EXPECT_EQ(refused.error().headers.back(),
            (std::pair<std::string, std::string>{"Retry-After", "1"}));
  EXPECT_EQ(refused.error().principal, "u1000");
  EXPECT_TRUE(admit("", 1001));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(admit("", 0));  // root has none
  clock_ += 1s;
  EXPECT_TRUE(admit("", 1000));
}

TEST(SystemGroups, KnowsTheMachinesUsers) {
  const GroupsOf groups = system_groups();
  EXPECT_EQ(groups("root").front(), "root");
  EXPECT_TRUE(groups("no-such-user").empty());
}

}  // namespace
}  // namespace headroom::server::access
