#include "server/net/rate_limit.h"

#include <gtest/gtest.h>

namespace headroom::server::net {
namespace {

using namespace std::chrono_literals;

TEST(RateLimit, ABurstThenTheRate) {
  RateLimit limit(2, 3);
  const RateLimit::Time start{};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limit.take("ana", start), 0);
  EXPECT_EQ(limit.take("ana", start), 1);
  EXPECT_EQ(limit.take("ben", start), 0);  // has a bucket of its own
  EXPECT_EQ(limit.take("ana", start + 499ms), 1);
  EXPECT_EQ(limit.take("ana", start + 500ms), 0);
  EXPECT_EQ(limit.take("ana", start + 500ms), 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limit.take("ana", start + 1h), 0);  // no more than burst
  EXPECT_EQ(limit.take("ana", start + 1h), 1);
}

TEST(RateLimit, TellsHowLongToWait) {
  RateLimit limit(0.1, 1);
  EXPECT_EQ(limit.take("ana", {}), 0);
  EXPECT_EQ(limit.take("ana", {}), 10);
  EXPECT_EQ(limit.take("ana", RateLimit::Time{} + 4s), 6);
}

TEST(RateLimit, ForgetsWhoeverIsQuiet) {
  RateLimit limit(1, 1);
  RateLimit::Time now{};
  for (int i = 0; i < 100'000; ++i) limit.take(std::to_string(i), now += 1ms);
  EXPECT_LT(limit.size(), 3'000U);
}

}  // namespace
}  // namespace headroom::server::net
