#include "cli/pack_documents.h"

#include <nlohmann/json.hpp>

#include "cli/pack_fake.h"
#include "cli/text.h"

namespace headroom::cli {
namespace {

using nlohmann::json;

PackOutcome outcome() {
  return fake_outcome(fake_grid({"default", "multi"}, {"fgd", "best_fit"}, {1, 2, 4}));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(PackJson, HasTheShapeThatWasPromised) {
  const json document = json::parse(pack_json(outcome()));
  EXPECT_EQ(document["seconds"], 1.5);
  ASSERT_EQ(document["rows"].size(), 4u);
  const json& row = document["rows"][1];
  EXPECT_EQ(row["tasks"], "default");
  EXPECT_EQ(row["placement"], "best_fit");
  EXPECT_EQ(row["seeds"], 3);
  ASSERT_EQ(row["at"].size(), 11u);
  // 90 + 0.8 for the name + 0.01, 0.02 and 0.04 for the seeds.
  const json& allocated = row["at"]["100"]["allocated"];
  EXPECT_DOUBLE_EQ(allocated["median"], 90.82);
  EXPECT_DOUBLE_EQ(allocated["mean"], 90.823333);
  EXPECT_DOUBLE_EQ(allocated["sd"], 0.015275);
  EXPECT_DOUBLE_EQ(allocated["min"], 90.81);
  EXPECT_DOUBLE_EQ(allocated["max"], 90.84);
  EXPECT_DOUBLE_EQ(row["at"]["100"]["fragment"]["max"], 9.19);
  EXPECT_DOUBLE_EQ(row["at"]["100"]["fragment_rate"]["min"], 49.16);
  EXPECT_EQ(row["digests"]["4"], "0000000000000fa8");
}

TEST(PackJson, OneSeedHasNoDeviation) {
  const json document = json::parse(pack_json(fake_outcome(fake_grid({"x"}, {"fgd"}, {1}))));
  EXPECT_TRUE(document["rows"][0]["at"]["100"]["allocated"]["sd"].is_null());
}

TEST(PackJson, OnlyPointsThatWereReached) {
  Grid grid = fake_grid({"x"}, {"fgd"}, {1});
  grid.arrive_permille = 720;
  const json document = json::parse(pack_json(fake_outcome(grid)));
  EXPECT_EQ(document["rows"][0]["at"].size(), 3u);  // 50, 60, 70
}

TEST(PackJson, NamesThatAreNoUtf8DoNotBreakIt) {
  const PackOutcome odd = fake_outcome(fake_grid({"\xff\"<"}, {"fgd"}, {1}));
  EXPECT_TRUE(json::accept(pack_json(odd)));
}

TEST(PackCsv, OneLinePerRunAndPoint) {
  const auto lines = lines_of(pack_csv(outcome()));
  ASSERT_EQ(lines.size(), 1u + 2 * 2 * 3 * 11);
  EXPECT_EQ(lines[0], "tasks,placement,seed,arrived,allocated,fragment,fragment_rate,digest");
  EXPECT_EQ(lines[1], "default,fgd,1,50,50.000000,9.690000,49.690000,00000000000003eb");
}

TEST(PackCsv, QuotesNamesThatNeedIt) {
  const auto lines = lines_of(pack_csv(fake_outcome(fake_grid({"a,\"b\""}, {"fgd"}, {1}))));
  EXPECT_EQ(lines[1].substr(0, 14), "\"a,\"\"b\"\"\",fgd,");
}

TEST(PackTable, FitsEightyColumns) {
  const auto names = std::vector<std::string>{"random", "headroom_learned"};
  const std::string text =
      pack_table(fake_outcome(fake_grid({std::string(120, 'n')}, names, {1, 2})), {.width = 80});
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 80u) << line;
  EXPECT_NE(text.find("headroom_learned"), std::string::npos);
  EXPECT_NE(text.find("± 0.01"), std::string::npos);
}

TEST(PackTable, ANarrowTerminalLosesTheFirstPointsAndNotTheLast) {
  const auto names = std::vector<std::string>{"random", "headroom_learned"};
  const PackOutcome narrow = fake_outcome(fake_grid({"x"}, names, {1, 2}));
  for (std::size_t width : {52u, 60u}) {
    const std::string text = pack_table(narrow, {.width = width});
    for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), width) << line;
    EXPECT_NE(text.find(" 130\n"), std::string::npos);
    EXPECT_EQ(text.find("…"), std::string::npos) << text;
  }
}

TEST(PackTable, ColourOnlyWhenAsked) {
  EXPECT_EQ(pack_table(outcome(), {.width = 80}).find('\x1b'), std::string::npos);
  EXPECT_NE(pack_table(outcome(), {.width = 80, .bold_header = true}).find('\x1b'),
            std::string::npos);
}

TEST(PackWide, OneLinePerRowAndPointWithAsManyFieldsEach) {
  const auto lines = lines_of(pack_wide(outcome()));
  ASSERT_EQ(lines.size(), 1u + 2 * 2 * 11);
  const auto fields = [](const std::string& line) {
    int count = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != ' ' && (i == 0 || line[i - 1] == ' ')) ++count;
    }
    return count;
  };
  for (const std::string& line : lines) EXPECT_EQ(fields(line), 19) << line;
}

}  // namespace
}  // namespace headroom::cli
