#include "cli/simulate_observed.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace headroom::cli {
namespace {

// 48 jobs of a real Slurm, of which the last came after the first had ended.
SimulateOptions example() {
  SimulateOptions options;
  options.site = HEADROOM_SOURCE_DIR "/tests/data/slurm/cluster_expected.yaml";
  options.jobs = HEADROOM_SOURCE_DIR "/examples/slurm/sacct.txt";
  options.policies = {"easy"};
  options.from = "2026-11-30T11:40:00Z";
  options.observed = true;
  return options;
}

std::string error_of(const SimulateOptions& options) {
  std::vector<std::string> notes;
  const auto run = replay_observed(options, notes);
  return run ? "" : run.error().message;
}

TEST(SimulateObserved, DocumentHasBothSidesAndTheVerdict) {
  std::vector<std::string> notes;
  const auto run = replay_observed(example(), notes);
  ASSERT_TRUE(run) << run.error().message;
  const auto observed = nlohmann::json::parse(observed_json(*run))["observed"];
  EXPECT_EQ(observed["validated"], run->observed.validated());
  EXPECT_EQ(observed["why_not"].empty(), run->observed.validated());
  EXPECT_EQ(observed["jobs"], run->observed.compared);
  EXPECT_EQ(observed["wait_s"]["p90"], run->observed.observed.wait_s.p90);
  EXPECT_EQ(observed["replayed"]["wait_s"]["p90"], run->observed.replayed.wait_s.p90);
  EXPECT_EQ(observed["replayed"]["utilisation"], run->observed.replayed.utilisation);
  EXPECT_EQ(observed["not_compared"]["requeued"], 6);
}

TEST(SimulateObserved, JobLogHasEveryJobThatIsCompared) {
  std::vector<std::string> notes;
  const auto run = replay_observed(example(), notes);
  ASSERT_TRUE(run) << run.error().message;
  const std::string log = observed_job_log(*run);
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), run->observed.compared + 1);
  EXPECT_NE(log.find("\n1,research,root,1,2026-11-30T11:40:57Z,0,0\n"), std::string::npos) << log;
}

TEST(SimulateObserved, AllFormsGiveTheVerdict) {
  std::vector<std::string> notes;
  auto run = replay_observed(example(), notes);
  ASSERT_TRUE(run) << run.error().message;
  run->observed.p50_is_close = false;
  EXPECT_NE(observed_table(*run, 0).find("\nnot validated"), std::string::npos);
  EXPECT_NE(observed_table(*run, 0).find("P50 of the wait is"), std::string::npos);
  EXPECT_NE(observed_csv(*run).find(",no\n"), std::string::npos);
  run->observed.p50_is_close = run->observed.p90_is_close = run->observed.use_is_close = true;
  EXPECT_NE(observed_table(*run, 0).find("\nvalidated"), std::string::npos);
  EXPECT_NE(observed_csv(*run).find(",yes\n"), std::string::npos);
}

TEST(SimulateObserved, WhatDidNotHappenIsRefused) {
  SimulateOptions options = example();
  options.policies = {"fifo", "easy"};
  EXPECT_EQ(error_of(options), "--observed: not with several policies");
  options = example();
  options.sweeps = {"nodes=8,16"};
  EXPECT_EQ(error_of(options), "--observed: not with --sweep");
  options = example();
  options.resolution = "5";
  EXPECT_NE(error_of(options).find("--resolution: 5 has no unit"), std::string::npos);
  options = example();
  options.from = "2026-12-01";
  EXPECT_NE(error_of(options).find("no job was submitted after"), std::string::npos);
  options = example();
  options.jobs = HEADROOM_SOURCE_DIR "/examples/history.csv";
  EXPECT_NE(error_of(options).find("does not tell when its jobs started"), std::string::npos);
  options.policies.clear();
  EXPECT_NE(error_of(options).find("which policy was in force"), std::string::npos);
}

}  // namespace
}  // namespace headroom::cli
