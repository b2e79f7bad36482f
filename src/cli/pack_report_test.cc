#include "cli/pack_report.h"

#include <nlohmann/json.hpp>

#include "cli/html.h"
#include "cli/pack_fake.h"

namespace headroom::cli {
namespace {

std::string report_of(const std::vector<std::string>& lists) {
  return pack_report(fake_outcome(fake_grid(lists, {"fgd", "best_fit"}, {1, 2, 3})),
                     {{lists[0], {.prefix = 96.39, .free = 96.9}}});
}

// What the page's own script reads.
nlohmann::json data_of(const std::string& page) {
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t start = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(start, page.find("</script>", start) - start));
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(PackReport, LoadsNothingFromElsewhere) {
  const std::string page = report_of({"default"});
  for (const char* part : {"src=\"", "src='", "@import", "url(", "<link rel=\"stylesheet\""}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("href=\"http"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(PackReport, CarriesTheLicenceOfItsChartLibrary) {
  EXPECT_NE(report_of({"default"}).find("Released under the MIT License"), std::string::npos);
}

TEST(PackReport, NamesCannotBecomeMarkup) {
  const std::string page = report_of({"<script>alert(1)</script>", "a\"b'c&d"});
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;/script&gt;"), std::string::npos);
  EXPECT_NE(page.find("a&quot;b&#39;c&amp;d"), std::string::npos);
  EXPECT_EQ(count(page, "<script"), 3);  // data, Chart.js, ours
  EXPECT_EQ(count(page, "</script"), 3);
  EXPECT_EQ(data_of(page)["lists"][0], "<script>alert(1)</script>");
}

TEST(PackReport, TheNameOfTheClusterCannotBecomeMarkup) {
  PackOutcome outcome = fake_outcome(fake_grid({"x"}, {"fgd"}, {1}));
  outcome.cluster = "<b>east</b>";
  const std::string page = pack_report(outcome, {});
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find("&lt;b&gt;east&lt;/b&gt;: 2 nodes, 8 GPUs"), std::string::npos);
}

TEST(PackReport, ATemplateMarkInANameIsText) {
  EXPECT_NE(report_of({"{{data}}"}).find("{{data}}"), std::string::npos);
}

TEST(PackReport, DataHoldsEveryCurveAndBound) {
  const auto data = data_of(report_of({"default", "other"}));
  ASSERT_EQ(data["rows"].size(), 4u);
  EXPECT_EQ(data["rows"][0]["allocated"]["median"].size(), 131u);
  EXPECT_DOUBLE_EQ(data["rows"][1]["allocated"]["median"][100], 90.82);
  EXPECT_DOUBLE_EQ(data["bounds"][0]["prefix"], 96.39);
  EXPECT_TRUE(data["bounds"][1].is_null());
}

TEST(PackReport, NumbersAreThereWithoutScripts) {
  const std::string page = report_of({"default"});
  EXPECT_NE(page.find("<td>90.82 ± 0.01</td>"), std::string::npos);  // allocated, in the table
  EXPECT_NE(page.find("9.18 ± 0.01"), std::string::npos);            // idle, beside its bar
}

TEST(Html, EscapesForScripts) {
  EXPECT_EQ(escape_script_json("\"</script>&\xe2\x80\xa8\""),
            "\"\\u003c/script\\u003e\\u0026\\u2028\"");
}

TEST(Html, TemplateValuesAreNotSearchedAgain) {
  EXPECT_EQ(fill_template("{{a}}-{{b}}", {{"a", "{{b}}"}, {"b", "x"}}), "{{b}}-x");
}

}  // namespace
}  // namespace headroom::cli
