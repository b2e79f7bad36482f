#include "server/access/tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace headroom::server::access {
namespace {

constexpr base::Time kNow{1'796'040'000'000};  // 2026-11-30T12:00Z
constexpr std::int64_t kMinute = 60'000;

std::string message(Tokens& tokens, std::string_view text, base::Time now = kNow) {
  const auto checked = tokens.check(text, now);
  return checked ? "" : checked.error().message;
}

TEST(Tokens, AreLongRandomAndKeptAsAHash) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const NewToken made = make_token("ana", "laptop", {"read"}, kNow, {});
    EXPECT_EQ(made.text.size(), 64U);
    EXPECT_TRUE(made.text.starts_with("hr_" + made.token.id + "_"));
    EXPECT_TRUE(std::all_of(made.text.begin() + 3, made.text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7') || c == '_';
    }));
    EXPECT_EQ(made.token.hash.size(), 64U);
    EXPECT_EQ(made.token.hash.find(made.text.substr(12)), std::string::npos);
    EXPECT_TRUE(seen.insert(made.text).second);
  }
}

// All five bits of every character are used: else the secret has fewer than 256 random bits.
TEST(Tokens, EveryCharacterTakesEveryValue) {
  std::vector<std::set<char>> values(52);
  for (int i = 0; i < 2'000; ++i) {
    const std::string text = make_token("ana", "", {}, kNow, {}).text;
    for (std::size_t at = 0; at < values.size(); ++at) values[at].insert(text[12 + at]);
  }
  for (std::size_t at = 0; at + 1 < values.size(); ++at) EXPECT_EQ(values[at].size(), 32U) << at;
  EXPECT_EQ(values.back().size(), 2U);  // 256 = 51 · 5 + 1
}

TEST(Tokens, SayWhoseTheyAre) {
  Tokens tokens;
  const NewToken made = make_token("ana", "laptop", {"read"}, kNow, {});
  tokens.put(made.token);
  tokens.put(make_token("ben", "", {}, kNow, {}).token);
  const auto found = tokens.check(made.text, kNow);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->user, "ana");
  EXPECT_EQ(found->scopes, std::vector<std::string>{"read"});
}

TEST(Tokens, RefuseEveryOtherText) {
  Tokens tokens;
  const NewToken made = make_token("ana", "", {}, kNow, {});
  tokens.put(made.token);
  for (std::size_t at = 0; at < made.text.size(); ++at) {
    std::string other = made.text;
    other[at] = other[at] == 'a' ? 'b' : 'a';
    EXPECT_NE(message(tokens, other), "") << at;
  }
  EXPECT_EQ(message(tokens, ""), "the token is not of the form hr_ID_SECRET");
  EXPECT_EQ(message(tokens, made.text + "a"), "the token is not of the form hr_ID_SECRET");
  EXPECT_EQ(message(tokens, made.token.hash), "the token is not of the form hr_ID_SECRET");
  const NewToken stranger = make_token("ana", "", {}, kNow, {});
  EXPECT_EQ(message(tokens, stranger.text), "the token is unknown");
}

TEST(Tokens, ExpireAndAreRevoked) {
  Tokens tokens;
  NewToken made = make_token("ana", "", {}, kNow, kNow + base::Duration{1});
  tokens.put(made.token);
  EXPECT_EQ(message(tokens, made.text), "");
  EXPECT_EQ(message(tokens, made.text, kNow + base::Duration{1}),
            "token " + made.token.id + " expired at 2026-11-30T12:00:00Z");
  made.token.revoked = true;
  tokens.put(made.token);
  EXPECT_EQ(message(tokens, made.text), "token " + made.token.id + " is revoked");
  // Who does not know the secret does not learn that there is such a token.
  std::string guess = made.text;
  guess.back() = guess.back() == 'a' ? 'q' : 'a';
  EXPECT_EQ(message(tokens, guess), "the token is unknown");
}

TEST(Tokens, LastUseIsToTheMinute) {
  Tokens tokens;
  const NewToken made = make_token("ana", "", {}, kNow, {});
  tokens.put(made.token);
  EXPECT_TRUE(tokens.take_used().empty());
  EXPECT_EQ(message(tokens, made.text, kNow + base::Duration{kMinute + 1}), "");
  EXPECT_EQ(message(tokens, made.text, kNow + base::Duration{kMinute + 2}), "");
  const auto used = tokens.take_used();
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used[0].last_used, kNow + base::Duration{kMinute});
  EXPECT_EQ(message(tokens, made.text, kNow + base::Duration{2 * kMinute - 1}), "");
  EXPECT_TRUE(tokens.take_used().empty());  // the same minute
}

TEST(Tokens, AFreshServerHasOneAdminAndKnowsEverybodyElseAsUser) {
  const FirstAccess first = first_access("root", kNow);
  EXPECT_EQ(first.token.token.user, "root");
  ASSERT_EQ(first.bindings.size(), 2U);
  EXPECT_EQ(first.bindings[0].role, "admin");
  EXPECT_EQ(first.bindings[1].subject, "*");
  EXPECT_EQ(first.bindings[1].role, "user");
}

}  // namespace
}  // namespace headroom::server::access
