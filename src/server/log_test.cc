#include "server/log.h"

#include <gtest/gtest.h>

#include <vector>

namespace headroom::server {
namespace {

TEST(Log, WritesOneLineAnEvent) {
  std::vector<std::string> lines;
  Log log(Log::Level::kInfo, [&](const std::string& line) { lines.push_back(line); });
  log.write(Log::Level::kDebug, "unseen", {});
  log.write(Log::Level::kWarning, "disk slow",
            {{"ms", "12"}, {"path", "/a b"}, {"why", "say \"x\"\n\x1b[31m"}, {"empty", ""}});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0],
            R"(warning "disk slow" ms=12 path="/a b" why="say \"x\"\x0a\x1b[31m" empty="")");
}

TEST(Log, HidesWhateverLooksLikeAToken) {
  const std::string secret = "hr_abcdefgh_" + std::string(52, 'x');
  EXPECT_EQ(without_secrets("Bearer " + secret + ", " + secret), "Bearer hr_…, hr_…");
  EXPECT_EQ(without_secrets("x" + secret), "xhr_…");
  EXPECT_EQ(without_secrets("hr_abcdefgh"), "hr_…");  // cut short is still a part of one
  EXPECT_EQ(without_secrets("hr_ hr_x chr_root"), "hr_ hr_x chr_root");
  std::string line;
  Log log(Log::Level::kInfo, [&](const std::string& text) { line = text; });
  log.write(Log::Level::kError, "failed", {{"why", "no such file: " + secret}});
  EXPECT_EQ(line, R"(error failed why="no such file: hr_…")");
}

TEST(Log, LevelsHaveNames) {
  EXPECT_EQ(*parse_log_level("warning"), Log::Level::kWarning);
  EXPECT_EQ(parse_log_level("loud").error().message,
            "log level: 'loud' is not one of debug, info, warning, error");
}

}  // namespace
}  // namespace headroom::server
