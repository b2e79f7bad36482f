#include "server/net/target.h"

#include <gtest/gtest.h>

namespace headroom::server::net {
namespace {

TEST(Target, IsTakenApartAndDecoded) {
  EXPECT_EQ(parse_target("/")->path, std::vector<std::string>{});
  EXPECT_EQ(*parse_target("/api/v1/queues/a%2Fb?user=ana&name=a+b%2Bc&empty&x="),
            (Target{{"api", "v1", "queues", "a/b"},
                    {{"user", "ana"}, {"name", "a b+c"}, {"empty", ""}, {"x", ""}}}));
  EXPECT_EQ(parse_target("/a//b/")->path, (std::vector<std::string>{"a", "", "b", ""}));
  EXPECT_EQ(parse_target("http://host:80/a?b=1")->path, std::vector<std::string>{"a"});
  EXPECT_EQ(parse_target("https://host")->path, std::vector<std::string>{});
  EXPECT_EQ(parse_target("/%C3%A4")->path, std::vector<std::string>{"ä"});
  EXPECT_EQ(parse_target("/a+b")->path, std::vector<std::string>{"a+b"});
}

TEST(Target, RefusesWhatIsNotOne) {
  const auto refused = [](std::string_view text) {
    const auto parsed = parse_target(text);
    return parsed ? "" : parsed.error().message;
  };
  const std::string ascii = "a URI is of printable ASCII; encode other bytes with %";
  EXPECT_EQ(refused("/a b"), ascii);
  EXPECT_EQ(refused("/a\tb"), ascii);
  EXPECT_EQ(refused("/a\x7f"), ascii);
  EXPECT_EQ(refused("/\xc3\xa4"), ascii);
  EXPECT_EQ(refused("/a#b"), ascii);
  EXPECT_EQ(refused(""), "neither a path nor an http URI");
  EXPECT_EQ(refused("*"), "neither a path nor an http URI");
  EXPECT_EQ(refused("host:80"), "neither a path nor an http URI");
  EXPECT_EQ(refused("/%"), "path: '%' is not % and two hex digits");
  EXPECT_EQ(refused("/%2"), "path: '%2' is not % and two hex digits");
  EXPECT_EQ(refused("/a%2gb"), "path: '%2g' is not % and two hex digits");
  EXPECT_EQ(refused("/%00"), "path: a control character is not allowed");
  EXPECT_EQ(refused("/%0d%0aX:1"), "path: a control character is not allowed");
  EXPECT_EQ(refused("/?a=%1b"), "query a: a control character is not allowed");
  EXPECT_EQ(refused("/%ff"), "path: not UTF-8");
  EXPECT_EQ(refused("/%c0%ae"), "path: not UTF-8");  // an overlong dot
  EXPECT_EQ(refused("/?limit=1&limit=2"), "query limit: given twice");
  EXPECT_EQ(refused("/?%6Cimit=1&limit=1"), "query limit: given twice");
}

TEST(Target, RefusesToClimb) {
  for (const std::string_view text :
       {"/..", "/a/../b", "/.", "/%2e%2e/a", "/a%2F..%2Fb", "/..%2f..%2fetc%2fpasswd", "/a/%2E"}) {
    ASSERT_FALSE(parse_target(text)) << text;
    EXPECT_EQ(parse_target(text).error().message, "path: '.' and '..' are not allowed");
  }
  EXPECT_TRUE(parse_target("/..."));
  EXPECT_TRUE(parse_target("/a..b/.hidden"));
  EXPECT_TRUE(parse_target("/?path=.."));
}

TEST(Target, LimitsTheQuery) {
  std::string many = "/?";
  for (int i = 0; i < 100; ++i) many += "a" + std::to_string(i) + "&";
  EXPECT_TRUE(parse_target(many));
  EXPECT_EQ(parse_target(many + "b").error().message, "query: more than 100 parameters");
}

}  // namespace
}  // namespace headroom::server::net
