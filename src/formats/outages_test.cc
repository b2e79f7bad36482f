#include "formats/outages.h"

#include <gtest/gtest.h>

namespace headroom::formats {
namespace {

const std::vector<std::string> kNodes{"h1", "h2", "h3"};

base::Result<Rows<std::vector<NodeOutage>>> read(const std::string& rows, bool lenient = false) {
  return read_outages("faults.csv", "node,from,to\n" + rows, kNodes, {lenient});
}

std::string error_of(const std::string& rows) {
  const auto result = read(rows);
  return result ? "" : result.error().message;
}

TEST(Outages, APatternStandsForSeveralNodes) {
  const auto rows = read("h[2-3],2026-11-01T00:00:00Z,2026-11-01T02:00:00Z\n");
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->value.size(), 2u);
  EXPECT_EQ(rows->value[1].node, "h3");
  EXPECT_EQ(base::between(rows->value[1].from, rows->value[1].to).value(), 2 * 3'600'000);
}

TEST(Outages, ErrorsNameTheLineAndWhatIsWrong) {
  const std::string good = "h1,2026-11-01,2026-11-02\n";
  EXPECT_EQ(error_of(good), "");
  EXPECT_EQ(error_of(good + "h1,2026-11-02,2026-11-02\n"),
            "faults.csv:3: to: it is not after from");
  EXPECT_NE(error_of("h4,2026-11-01,2026-11-02\n").find("faults.csv:2: node: there is no node h4"),
            std::string::npos);
  EXPECT_NE(error_of("h1,yesterday,2026-11-02\n").find("faults.csv:2: from: "), std::string::npos);
  EXPECT_NE(error_of("h[2-1],2026-11-01,2026-11-02\n").find("faults.csv:2: node: "),
            std::string::npos);
  EXPECT_NE(error_of("h1,2026-11-01,2026-11").find("faults.csv:2: "), std::string::npos);
}

TEST(Outages, LenientCountsBadRows) {
  const auto rows = read("h9,2026-11-01,2026-11-02\nh1,2026-11-01,2026-11-02\n", true);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->skipped, 1);
  EXPECT_EQ(rows->value.size(), 1u);
}

}  // namespace
}  // namespace headroom::formats
