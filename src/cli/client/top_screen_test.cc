#include "cli/client/top_screen.h"

#include <gtest/gtest.h>

namespace headroom::cli {
namespace {

TopDocuments documents() {
  TopDocuments all;
  all.status = Json::parse(R"({"cluster":"lab"})");
  all.nodes = {Json::parse(R"({"name":"n1","state":"ready","gpus":8,"gpus_free":2})"),
               Json::parse(R"({"name":"n2","state":"ready","gpus":8,"gpus_free":6.5})"),
               Json::parse(R"({"name":"n3","state":"drained","gpus":8,"gpus_free":8})")};
  all.queues = {Json::parse(R"({"name":"research","running":1,"waiting":29,
        "pools":[{"pool":"h100","guarantee":8,"held":7.5,"borrowed":0}]})")};
  for (int i = 1; i <= 30; ++i) {
    Json job = Json::parse(R"({"name":"j","queue":"research","user":"ana","state":"waiting",
                               "gpus":1,"reason":{"code":"quota","text":"research holds all"}})");
    job["id"] = std::to_string(i);
    all.jobs.push_back(job);
  }
  all.jobs[4]["state"] = "running";
  all.jobs[4]["nodes"] = {"n1"};
  return all;
}

std::string text_of_screen(const TopView& view) {
  std::string text;
  for (const TopLine& line : top_screen(documents(), view)) text += line.text + "\n";
  return text;
}

TEST(TopScreen, SaysHowMuchIsInUse) {
  const std::string text = text_of_screen({.width = 100, .height = 0});
  EXPECT_NE(text.find("headroom lab   nodes 3   running 1   waiting 29\n"), std::string::npos);
  EXPECT_NE(text.find("7.50 of 16 allocated, 8.50 free"), std::string::npos) << text;
  EXPECT_NE(text.find("out of service: 1 node, 8 GPUs"), std::string::npos);
  EXPECT_NE(text.find("(quota) research holds all"), std::string::npos);
  EXPECT_LT(text.find("waiting  "), text.find("running  "));  // waiting jobs come first
}

TEST(TopScreen, FitsTheTerminalAndScrolls) {
  for (const std::size_t height : {5U, 12U, 24U}) {
    const auto lines = top_screen(documents(), {.width = 40, .height = height});
    EXPECT_LE(lines.size(), height);
    for (const TopLine& line : lines) EXPECT_LE(line.text.size(), 42U) << line.text;
  }
  const std::string far = text_of_screen({.width = 100, .height = 20, .scroll = 1000});
  EXPECT_EQ(far.find("\n2   "), std::string::npos);
  EXPECT_NE(far.find("\n5   "), std::string::npos) << far;  // the one that runs is the last
}

TEST(TopScreen, OfAnEmptyClusterIsNoDivisionByZero) {
  EXPECT_NE(top_screen({}, {.height = 0})[1].text.find("0 of 0"), std::string::npos);
}

TEST(TopScreen, BarsAreOfOneLength) {
  EXPECT_EQ(bar(0.5, 4), "[##--]  50 %");
  EXPECT_EQ(bar(7, 4), "[####] 100 %");
  EXPECT_EQ(bar(-1, 4), "[----]   0 %");
}

}  // namespace
}  // namespace headroom::cli
