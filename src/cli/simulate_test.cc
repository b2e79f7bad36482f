#include "cli/simulate.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace headroom::cli {
namespace {

SimulateOptions example() {
  SimulateOptions options;
  options.site = std::string(HEADROOM_SOURCE_DIR) + "/examples/cluster.yaml";
  options.jobs = std::string(HEADROOM_SOURCE_DIR) + "/examples/history.csv";
  return options;
}

TEST(Simulate, QueuesThatTheSiteDoesNotNameAreAdded) {
  std::vector<std::string> notes;
  const auto input = read_replay(example(), notes);
  ASSERT_TRUE(input) << input.error().message;
  const auto named = [&](const std::string& name) {
    return std::count_if(input->queues.begin(), input->queues.end(),
                         [&](const model::Queue& queue) { return queue.name == name; });
  };
  EXPECT_EQ(named("research/language"), 1);
  EXPECT_EQ(named("research/vision"), 1);
}

TEST(Simulate, SameInputSameDigest) {
  std::vector<std::string> notes;
  const auto input = read_replay(example(), notes);
  ASSERT_TRUE(input) << input.error().message;
  const auto once = simulate::replay(*input);
  const auto again = simulate::replay(*input);
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->digest, again->digest);
  auto other = *input;
  other.policy = "fifo";
  EXPECT_NE(simulate::replay(other)->digest, once->digest);
}

// Every job of the example ends or is rejected with a reason, and no GPU is used twice: what was
// held never exceeds what there was.
TEST(Simulate, NothingIsLost) {
  std::vector<std::string> notes;
  const auto input = read_replay(example(), notes);
  ASSERT_TRUE(input) << input.error().message;
  for (const char* policy : {"fifo", "easy", "conservative", "drf", "headroom"}) {
    auto one = *input;
    one.policy = policy;
    const auto result = simulate::replay(one);
    ASSERT_TRUE(result) << result.error().message;
    const simulate::Summary summary = simulate::summarise(one, *result);
    EXPECT_EQ(summary.unfinished, 0) << policy;
    EXPECT_EQ(summary.jobs + summary.rejected, 120) << policy;
    EXPECT_LE(summary.allocated, 1.0) << policy;
    EXPECT_EQ(summary.lost_gpu_h, 0) << policy << ": nothing was stopped";
  }
}

TEST(Simulate, OutageCostsWorkAndTheJobEndsAllTheSame) {
  std::vector<std::string> notes;
  auto input = read_replay(example(), notes);
  ASSERT_TRUE(input) << input.error().message;
  const base::Time first = input->jobs->jobs.front().submit;
  for (std::size_t node = 0; node < 16; ++node) {
    input->outages.push_back({model::NodeId{node}, first + base::Duration{5 * 3'600'000},
                              first + base::Duration{9 * 3'600'000}});
  }
  const auto result = simulate::replay(*input);
  ASSERT_TRUE(result) << result.error().message;
  const simulate::Summary summary = simulate::summarise(*input, *result);
  EXPECT_EQ(summary.unfinished, 0);
  EXPECT_GT(summary.lost_gpu_h, 0);
  EXPECT_LT(summary.useful, summary.allocated);
}

TEST(Simulate, DocumentHasARunForEachPolicy) {
  std::vector<std::string> notes;
  const auto input = read_replay(example(), notes);
  ASSERT_TRUE(input);
  const auto result = simulate::replay(*input);
  ASSERT_TRUE(result);
  const std::vector<PolicyRun> runs = {
      {"headroom", simulate::summarise(*input, *result), {.jain = 1, .worst_ratio = 2}}};
  const auto document = nlohmann::json::parse(simulate_json(example(), *input, runs, 0.5));
  ASSERT_EQ(document["runs"].size(), 1u);
  EXPECT_EQ(document["runs"][0]["policy"], "headroom");
  EXPECT_GT(document["runs"][0]["completion_s"]["p90"], 0);
  EXPECT_EQ(document["runs"][0]["fairness"]["worst_ratio"], 2);
  EXPECT_EQ(document["assumed"]["checkpoint"], "30min");
}

TEST(Simulate, WrongFlagsAreNamed) {
  std::vector<std::string> notes;
  SimulateOptions options = example();
  options.checkpoint = "30";
  EXPECT_NE(read_replay(options, notes).error().message.find("--checkpoint"), std::string::npos);
  options = example();
  options.placement = "hedroom";
  EXPECT_NE(read_replay(options, notes).error().message.find("did you mean headroom"),
            std::string::npos);
}

}  // namespace
}  // namespace headroom::cli
