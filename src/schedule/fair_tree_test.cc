#include "schedule/fair_tree.h"

#include <gtest/gtest.h>

namespace headroom::schedule {
namespace {

Association account(std::int64_t shares, std::int64_t usage, std::int32_t above = -1) {
  return {.account = above, .user = false, .shares = shares, .usage = usage};
}

Association user(std::int32_t above, std::int64_t usage, std::int64_t shares = 1) {
  return {.account = above, .user = true, .shares = shares, .usage = usage};
}

// Level fair shares: account 0 has 40 of 100 shares and 45 of 100 used: 0.89; account 1 30 ÷ 5 =
// 6.0; account 2 30 ÷ 50 = 0.6. All users of account 1 come before all of account 0, and those
// before all of account 2, whatever they used themselves.
TEST(FairTree, UsersOfTheAccountThatIsServedLessComeFirst) {
  const std::vector<std::int64_t> factors =
      fair_tree_factors({account(40, 45), account(30, 5), account(30, 50),  // 0, 1, 2
                         user(0, 40), user(0, 5), user(1, 4), user(1, 1), user(2, 0), user(2, 50)});
  EXPECT_EQ(factors[6], 1'000'000) << "used 1 of the account that used 5";
  EXPECT_EQ(factors[5], 833'333);
  EXPECT_EQ(factors[4], 666'666);
  EXPECT_EQ(factors[3], 500'000);
  EXPECT_EQ(factors[7], 333'333) << "used nothing, in the account that used most";
  EXPECT_EQ(factors[8], 166'666);
  EXPECT_EQ(factors[0], 0) << "an account has none";
}

TEST(FairTree, SharesCountAtEveryLevel) {
  const std::vector<std::int64_t> factors = fair_tree_factors(
      {account(1, 50), account(3, 50), user(0, 50), user(1, 30, 2), user(1, 20, 1)});
  EXPECT_EQ(factors[3], 1'000'000) << "2 of 3 shares and 30 of 50 used: 1.1";
  EXPECT_EQ(factors[4], 666'666) << "1 of 3 and 20 of 50: 0.8";
  EXPECT_EQ(factors[2], 333'333);
}

// The next rank leaves room for all who tied.
TEST(FairTree, UsersThatTieHaveOneRank) {
  const std::vector<std::int64_t> factors =
      fair_tree_factors({account(1, 30), user(0, 0), user(0, 0), user(0, 30)});
  EXPECT_EQ(factors[1], 1'000'000);
  EXPECT_EQ(factors[2], 1'000'000);
  EXPECT_EQ(factors[3], 333'333);
}

// Both accounts used as much as their shares say; by themselves the users of 0 would come first.
TEST(FairTree, AccountsThatTieAreEnteredTogether) {
  const std::vector<std::int64_t> factors = fair_tree_factors(
      {account(1, 50), account(1, 50), user(0, 45), user(0, 5), user(1, 20), user(1, 30)});
  EXPECT_EQ(factors[3], 1'000'000);  // 1/2 ÷ 5/50
  EXPECT_EQ(factors[4], 750'000);    // 1/2 ÷ 20/50
  EXPECT_EQ(factors[5], 500'000);    // 1/2 ÷ 30/50
  EXPECT_EQ(factors[2], 250'000);
}

TEST(FairTree, UserThatTiesWithAnAccountHasTheRankOfItsFirst) {
  const std::vector<std::int64_t> factors =
      fair_tree_factors({account(1, 50), user(0, 10), user(0, 40), user(-1, 50)});
  EXPECT_EQ(factors[3], 1'000'000);
  EXPECT_EQ(factors[1], 1'000'000);
  EXPECT_EQ(factors[2], 333'333);
}

TEST(FairTree, WithoutSharesComesLast) {
  const std::vector<std::int64_t> factors =
      fair_tree_factors({user(-1, 0, 0), user(-1, 100), user(-1, 0)});
  EXPECT_EQ(factors[2], 1'000'000);
  EXPECT_EQ(factors[1], 666'666);
  EXPECT_EQ(factors[0], 333'333);
}

TEST(FairTree, NobodyHasNoRank) { EXPECT_TRUE(fair_tree_factors({}).empty()); }

}  // namespace
}  // namespace headroom::schedule
