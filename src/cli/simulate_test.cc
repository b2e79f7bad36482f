#include "cli/simulate.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schedule/policies.h"

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
  for (const std::string& policy : schedule::policy_names()) {
    auto one = *input;
    one.policy = policy;
    const auto result = simulate::replay(one);
    ASSERT_TRUE(result) << result.error().message;
    const simulate::Summary summary = simulate::summarise(one, *result);
    EXPECT_EQ(summary.unfinished, 0) << policy;
    EXPECT_EQ(summary.jobs + summary.rejected, 120) << policy;
    EXPECT_LE(summary.allocated, 1.0) << policy;
    EXPECT_EQ(summary.lost_gpu_h > 0, summary.preemptions > 0) << policy;
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

// `count` nodes are down from hour 5 to hour 9.
simulate::ReplayInput with_outages(simulate::ReplayInput input, std::size_t count) {
  const base::Time first = input.jobs->jobs.front().submit;
  for (std::size_t node = 0; node < count; ++node) {
    input.outages.push_back({model::NodeId{node}, first + base::Duration{5 * 3'600'000},
                             first + base::Duration{9 * 3'600'000}});
  }
  return input;
}

TEST(Simulate, OverlappingOutagesOfANodeAreOne) {
  std::vector<std::string> notes;
  const auto input = read_replay(example(), notes);
  ASSERT_TRUE(input) << input.error().message;
  auto once = with_outages(*input, 4);
  auto twice = with_outages(once, 4);
  EXPECT_EQ(simulate::replay(once)->digest, simulate::replay(twice)->digest);
  EXPECT_EQ(simulate::replay(twice)->node_failures, 4);
}

TEST(Simulate, GpuTimeAddsUp) {
  std::vector<std::string> notes;
  const auto input = read_replay(example(), notes);
  ASSERT_TRUE(input) << input.error().message;
  for (const auto& one : {*input, with_outages(*input, 16)}) {
    const auto result = simulate::replay(one);
    ASSERT_TRUE(result) << result.error().message;
    const simulate::GpuTime& gpu = result->gpu;
    EXPECT_EQ(gpu.allocated + gpu.idle, gpu.capacity);
    std::int64_t waiting = 0;
    for (const std::int64_t cause : gpu.idle_waiting) waiting += cause;
    EXPECT_LE(waiting, gpu.idle);
    EXPECT_LE(gpu.unusable, gpu.idle);
    EXPECT_LE(gpu.useful, gpu.allocated);
    std::int64_t capacity = 0, allocated = 0;
    for (const simulate::GpuStep& step : result->timeline.steps()) {
      EXPECT_LE(step.allocated + step.unusable, step.capacity);
      capacity += step.capacity;
      allocated += step.allocated;
    }
    EXPECT_EQ(capacity, gpu.capacity);
    EXPECT_EQ(allocated, gpu.allocated);
    std::int64_t kept = 0;
    for (const simulate::Stretch& one_stretch : result->stretches) {
      EXPECT_LT(one_stretch.start, one_stretch.end);
      EXPECT_LE(one_stretch.start + one_stretch.restart + one_stretch.kept, one_stretch.end);
      kept += one_stretch.kept.value() * one_stretch.gpu_milli;
    }
    EXPECT_EQ(kept, gpu.useful);
  }
}

// What is kept of a job's stretches is what it had to do.
TEST(Simulate, StretchesOfAJobAddUpToItsRunTime) {
  std::vector<std::string> notes;
  const auto input = read_replay(example(), notes);
  ASSERT_TRUE(input) << input.error().message;
  const auto one = with_outages(*input, 16);
  const auto result = simulate::replay(one);
  ASSERT_TRUE(result) << result.error().message;
  std::vector<base::Duration> kept(one.jobs->jobs.size());
  for (const simulate::Stretch& stretch : result->stretches) kept[stretch.job] += stretch.kept;
  for (const simulate::JobRun& run : result->jobs) {
    if (!simulate::ran_to_its_end(run)) continue;
    EXPECT_EQ(kept[run.job], one.jobs->jobs[run.job].run);
    EXPECT_EQ(run.ran - run.lost, kept[run.job]);
  }
}

TEST(Simulate, SamplesAreBoundedAndInOrder) {
  std::vector<std::string> notes;
  const auto input = read_replay(example(), notes);
  ASSERT_TRUE(input) << input.error().message;
  const auto result = simulate::replay(*input);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_GT(result->samples.size(), 10u);
  EXPECT_LE(result->samples.size(), simulate::kMostSamples);
  bool waited = false;
  for (std::size_t i = 0; i < result->samples.size(); ++i) {
    const simulate::Sample& sample = result->samples[i];
    EXPECT_GT(sample.time, i == 0 ? base::Time{0} : result->samples[i - 1].time);
    for (const std::int32_t jobs : sample.waiting) waited = waited || jobs > 0;
  }
  EXPECT_TRUE(waited);
}

// The whole cluster is closed for a day: nothing starts there, and what is idle goes to the window.
TEST(Simulate, MaintenanceClosesNodes) {
  std::vector<std::string> notes;
  const auto input = read_replay(example(), notes);
  ASSERT_TRUE(input) << input.error().message;
  auto closed = *input;
  const base::Time from = closed.jobs->jobs.front().submit + base::Duration{2 * 3'600'000};
  const base::Time to = from + base::Duration{24 * 3'600'000};
  model::ReservationChanged window{.window = {.name = "all", .start = from, .end = to},
                                   .maintenance = true};
  for (std::size_t i = 0; i < closed.cluster->nodes.size(); ++i) {
    window.nodes.push_back(model::NodeId{i});
  }
  closed.windows = {window};
  const auto result = simulate::replay(closed);
  ASSERT_TRUE(result) << result.error().message;
  for (const simulate::JobRun& run : result->jobs) {
    EXPECT_FALSE(run.first_start >= from && run.first_start < to);
  }
  const auto at = static_cast<std::size_t>(simulate::Cause::kWindow);
  EXPECT_GT(result->gpu.idle_waiting[at], 0);
  EXPECT_EQ(simulate::replay(*input)->gpu.idle_waiting[at], 0);
}

// cluster.yaml has a reservation and a maintenance, in the year after the history; they are moved.
TEST(Simulate, WindowsOfTheSiteAreInForce) {
  std::vector<std::string> notes;
  SimulateOptions options = example();
  options.settings = {"maintenance.firmware.start=2026-11-02",
                      "maintenance.firmware.end=2026-11-05"};
  const auto input = read_replay(options, notes);
  ASSERT_TRUE(input) << input.error().message;
  ASSERT_EQ(input->windows.size(), 2u);
  EXPECT_EQ(input->windows[0].window.queue, "sandbox");
  EXPECT_TRUE(input->windows[1].maintenance);
  ASSERT_EQ(input->windows[1].nodes.size(), 4u);
  EXPECT_EQ(input->cluster->nodes[input->windows[1].nodes[3].index()].name, "h004");
  const auto result = simulate::replay(*input);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_GT(result->gpu.idle_waiting[static_cast<std::size_t>(simulate::Cause::kWindow)], 0);
}

TEST(Simulate, AFaultsFileIsReadForEachVariation) {
  std::vector<std::string> notes;
  SimulateOptions options = example();
  options.policies = {"easy"};
  options.faults = std::string(HEADROOM_SOURCE_DIR) + "/examples/faults.csv";
  options.sweeps = {"nodes=17", "32"};
  options.settings = {"queues.research.guarantee.h100=64", "queues.research/vision.limit.h100=64"};
  const auto simulation = read_simulation(options, notes);
  ASSERT_TRUE(simulation) << simulation.error().message;
  EXPECT_EQ(simulation->variations[0].input.outages.size(), 4u);  // h020 is not there
  EXPECT_EQ(simulation->variations[1].input.outages.size(), 5u);
  options.faults = std::string(HEADROOM_SOURCE_DIR) + "/examples/history.csv";
  EXPECT_FALSE(read_simulation(options, notes));
}

TEST(Simulate, TheSeedDecidesWhenNodesFail) {
  std::vector<std::string> notes;
  SimulateOptions options = example();
  options.mtbf = "2d";
  options.repair = "2h";
  options.seeds = "1-2";
  const auto simulation = read_simulation(options, notes);
  ASSERT_TRUE(simulation) << simulation.error().message;
  const auto runs = run_simulation(*simulation, {.threads = 2});
  const auto again = run_simulation(*simulation, {.threads = 1});
  ASSERT_TRUE(runs && again);
  ASSERT_EQ(runs->size(), 6u);
  for (std::size_t i = 0; i < runs->size(); ++i) {
    EXPECT_GT((*runs)[i].summary.node_failures, 0);
    EXPECT_EQ((*runs)[i].summary.unfinished, 0);
    EXPECT_EQ((*runs)[i].summary.digest, (*again)[i].summary.digest);
    EXPECT_EQ((*runs)[i].fairness.jain, (*again)[i].fairness.jain);
  }
  EXPECT_EQ((*runs)[0].policy, (*runs)[1].policy);
  EXPECT_NE((*runs)[0].summary.digest, (*runs)[1].summary.digest);
}

TEST(Simulate, TheSeedDecidesWhereARandomPlacementPutsTasks) {
  std::vector<std::string> notes;
  SimulateOptions options = example();
  options.policies = {"easy"};
  options.placements = {"random", "best_fit"};
  options.seeds = "1-2";
  const auto simulation = read_simulation(options, notes);
  ASSERT_TRUE(simulation) << simulation.error().message;
  const auto runs = run_simulation(*simulation, {.threads = 1});
  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_EQ(runs->size(), 4u);
  EXPECT_NE((*runs)[0].summary.digest, (*runs)[1].summary.digest);
  EXPECT_EQ((*runs)[2].summary.digest, (*runs)[3].summary.digest);
}

TEST(Simulate, SweptValuesPoliciesAndSeedsAreCombinedInOrder) {
  std::vector<std::string> notes;
  SimulateOptions options = example();
  options.policies = {"easy", "headroom"};
  options.sweeps = {"nodes=30", "32"};  // as the command line hands nodes=30,32 over
  options.settings = {"queues.research.weight=3"};
  const auto simulation = read_simulation(options, notes);
  ASSERT_TRUE(simulation) << simulation.error().message;
  ASSERT_EQ(simulation->size(), 4u);
  const auto runs = run_simulation(*simulation, {.threads = 2});
  ASSERT_TRUE(runs) << runs.error().message;
  EXPECT_EQ((*runs)[1].policy, "headroom");
  EXPECT_EQ((*runs)[1].variation->sweep[0].value, "30");
  EXPECT_EQ((*runs)[2].policy, "easy");
  EXPECT_EQ((*runs)[2].variation->sweep[0].value, "32");
  const auto document = nlohmann::json::parse(simulate_json(options, *simulation, *runs, 0.5));
  ASSERT_EQ(document["runs"].size(), 4u);
  const auto& run = document["runs"][1];
  EXPECT_EQ(run["policy"], "headroom");
  EXPECT_EQ(run["seed"], 1);
  EXPECT_EQ(run["sweep"]["nodes"], 30);
  EXPECT_GT(run["completion_s"]["p90"], 0);
  EXPECT_GT(run["fairness"]["worst_ratio"], 0);
  EXPECT_EQ(run["idle_while_waiting_gpu_h"]["topology"], 0);
  EXPECT_GT(run["idle_while_waiting_gpu_h"]["quota"], 0);
  EXPECT_GT(run["queues"][0]["ratio"], 0);
  EXPECT_EQ(document["assumed"]["checkpoint"], "30min");
  const std::string csv = simulate_csv(*runs);
  EXPECT_TRUE(csv.starts_with("policy,placement,seed,sweep.nodes,jobs,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  const std::string table = simulate_table(options, *runs, 0);
  EXPECT_NE(table.find("NODES"), std::string::npos);
  EXPECT_EQ(table.find("QUEUE"), std::string::npos);
  EXPECT_NE(table.find("checkpoint every 30min"), std::string::npos);
}

TEST(Simulate, PredictionsAreJudgedWhenAskedFor) {
  std::vector<std::string> notes;
  SimulateOptions options = example();
  options.policies = {"easy"};
  options.predictions = true;
  const auto simulation = read_simulation(options, notes);
  ASSERT_TRUE(simulation) << simulation.error().message;
  const auto runs = run_simulation(*simulation, {.threads = 1});
  ASSERT_TRUE(runs) << runs.error().message;
  const auto document = nlohmann::json::parse(simulate_json(options, *simulation, *runs, 0.5));
  const auto& loss = document["runs"][0]["pinball_s"];
  EXPECT_GT(loss["all"]["jobs"], 100);
  EXPECT_GT(loss["all"]["p50"]["predicted"], 0);
  EXPECT_LT(loss["limited"]["p90"]["predicted"], loss["limited"]["p90"]["limit"]);
  EXPECT_FALSE(loss["all"]["p50"].contains("limit"));
  EXPECT_NE(simulate_table(options, *runs, 0).find("pinball"), std::string::npos);
}

TEST(Simulate, AllPoliciesByOneWord) {
  std::vector<std::string> notes;
  SimulateOptions options = example();
  options.policies = {"all"};
  const auto simulation = read_simulation(options, notes);
  ASSERT_TRUE(simulation) << simulation.error().message;
  EXPECT_EQ(simulation->policies, schedule::policy_names());
}

TEST(Simulate, TheJobLogHasEachJobOfEachRun) {
  std::vector<std::string> notes;
  SimulateOptions options = example();
  options.policies = {"easy", "headroom"};
  options.job_log = "log.csv";
  const auto simulation = read_simulation(options, notes);
  ASSERT_TRUE(simulation) << simulation.error().message;
  const auto runs = run_simulation(*simulation, {.threads = 1});
  ASSERT_TRUE(runs) << runs.error().message;
  const std::string csv = simulate_job_log("log.csv", *runs);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 241);
  EXPECT_TRUE(csv.starts_with("policy,placement,seed,id,queue,user,submit,start,end,"));
  const std::string lines = simulate_job_log("log.jsonl", *runs);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 240);
  const auto first = nlohmann::json::parse(lines.substr(0, lines.find('\n')));
  EXPECT_EQ(first["policy"], "easy");
  EXPECT_EQ(first["outcome"], "completed");
  EXPECT_EQ(first["wait_s"], 0);
}

TEST(Simulate, WeightsOfSlurmAreRead) {
  std::vector<std::string> notes;
  SimulateOptions options = example();
  options.policies = {"slurm"};
  const auto sample = read_replay(options, notes);
  ASSERT_TRUE(sample) << sample.error().message;
  EXPECT_EQ(sample->policy_settings.slurm.priority, model::example_slurm_priority());
  options.slurm_conf = {std::string(HEADROOM_SOURCE_DIR) + "/examples/slurm"};
  const auto read = read_replay(options, notes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_NE(read->policy_settings.slurm.priority, model::example_slurm_priority());
  EXPECT_EQ(read->policy_settings.slurm.priority.fair_share, 10'000);
  options.slurm_conf = {std::string(HEADROOM_SOURCE_DIR) + "/examples/history.csv"};
  EXPECT_NE(read_replay(options, notes).error().message.find("history.csv"), std::string::npos);
  options.slurm_conf = {"/nowhere/slurm.conf"};
  EXPECT_NE(read_replay(options, notes).error().message.find("--slurm-conf: /nowhere/slurm.conf"),
            std::string::npos);
  options.policies = {"easy"};
  EXPECT_NE(read_replay(options, notes).error().message.find("slurm is not asked for"),
            std::string::npos);
}

TEST(Simulate, WrongFlagsAreNamed) {
  const auto error_of = [](auto change) {
    std::vector<std::string> notes;
    SimulateOptions options = example();
    change(options);
    const auto read = read_simulation(options, notes);
    return read ? "" : read.error().message;
  };
  using Options = SimulateOptions;
  const auto has = [](const std::string& error, const std::string& part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  };
  has(error_of([](Options& o) { o.checkpoint = "30"; }), "--checkpoint");
  has(error_of([](Options& o) { o.mtbf = "0min"; }), "--mtbf");
  has(error_of([](Options& o) { o.seeds = "3-1"; }), "--seeds");
  has(error_of([](Options& o) { o.placements = {"hedroom"}; }), "did you mean headroom");
  has(error_of([](Options& o) { o.policies = {"faifo"}; }), "did you mean fifo");
  has(error_of([](Options& o) { o.settings = {"queues.reserch.weight=2"}; }),
      "--set: queues.reserch.weight=2: there is no queue reserch (did you mean research?)");
  has(error_of([](Options& o) { o.sweeps = {"nodes=8-32:8"}; }), "overcommitted");
  has(error_of([](Options& o) { o.sweeps = {"nodes"}; }), "KEY=VALUE");
  has(error_of([](Options& o) { o.sweeps = {"nodes=1-20000"}; }), "10000");
}

}  // namespace
}  // namespace headroom::cli
