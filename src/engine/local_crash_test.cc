// The local engine under kill -9: of the server, of the hub and of supervisors, at every step and
// at random moments. Nothing is started twice, nothing is lost, nothing stays behind.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/rng.h"
#include "engine/local_folder.h"
#include "engine/local_plan.h"
#include "engine/posix.h"
#include "engine/processes.h"
#include "engine/testing/local_host.h"
#include "engine/testing/reports.h"

namespace headroom::engine {
namespace {

class LocalCrash : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return place_.scratch() + "/" + name; }

  // A job that leaves a line with its number.
  Launch line_job(std::int64_t number) const {
    return launch_of(number, "echo $HEADROOM_JOB_ID >> " + at("lines"));
  }
  std::map<std::string, int> lines() const {
    std::map<std::string, int> count;
    std::ifstream file(at("lines"));
    for (std::string line; std::getline(file, line);) ++count[line];
    return count;
  }
  // Runs `work` in a process of its own, as a server; returns how it ended.
  template <class Work>
  static pid_t fork_server(Work work) {
    const pid_t server = fork();
    if (server == 0) {
      work();
      _exit(0);
    }
    return server;
  }
  static int end_of(pid_t server) {
    int status = 0;
    waitpid(server, &status, 0);
    return status;
  }
  std::string supervisor_of(const model::AllocationId& id) const {
    const auto text =
        read_file(LocalFolder(place_.options.folder).live(allocation_name(id)) + "/reports");
    const auto lines = parse_report_lines(*text, id);
    return std::to_string(lines->lines.at(0).pid);
  }
  void wait_for_file(const std::string& name) const {
    for (int i = 0; i < 10'000 && !exists(at(name)); ++i) usleep(1000);
    ASSERT_TRUE(exists(at(name))) << name;
  }

  LocalPlace place_;
};

TEST_F(LocalCrash, AServerThatDiesBetweenAnyTwoStepsStartsNothingTwice) {
  for (const char* step : {"new", "plan", "ledger", "rename", "ask", "order", "signal", "forget"}) {
    SCOPED_TRACE(step);
    LocalPlace place;
    const std::string lines = place.scratch() + "/lines";
    const auto job = [&](std::int64_t number, const std::string& rest = "") {
      return launch_of(number, "echo $HEADROOM_JOB_ID >> " + lines + rest);
    };
    const Launch sleeper = job(3, "; sleep 60");
    const pid_t server = fork_server([&] {
      LocalOptions options = place.options;
      options.step = [&](const char* name) {
        if (std::string(name) == step) raise(SIGKILL);
      };
      auto engine = std::move(*open_local_engine(options));
      (void)engine->launch(job(1));
      wait_for_ends(*engine, {job(1).id});
      (void)engine->launch(job(2));
      (void)engine->launch(sleeper);
      (void)engine->stop({.id = sleeper.id, .epoch = 1, .grace = base::Duration{0}});
      engine->forget(job(1).id);
      wait_for_ends(*engine, {job(2).id, sleeper.id});
    });
    const int status = end_of(server);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it came to this step";

    // The next server repeats its orders; what was forgotten must not run again either.
    const auto engine = place.open();
    std::vector<model::AllocationId> ids;
    for (const Launch& one : {job(1), job(2), sleeper}) {
      if (engine->launch(one)) ids.push_back(one.id);
    }
    (void)engine->stop({.id = sleeper.id, .epoch = 1, .grace = base::Duration{0}});
    const auto ends = wait_for_ends(*engine, ids);
    EXPECT_EQ(ends.size(), ids.size());
    EXPECT_TRUE(engine->list()->empty());
    std::map<std::string, int> count;
    std::ifstream file(lines);
    for (std::string line; std::getline(file, line);) ++count[line];
    EXPECT_EQ(count["1"], 1);
    EXPECT_EQ(count["2"], 1);
    EXPECT_LE(count["3"], 1) << "it may be stopped before it runs";
  }
}

TEST_F(LocalCrash, ASupervisorThatDiesBetweenAnyTwoStepsStartsNothingTwice) {
  // Before it has begun, another one is asked for. After that, what became of the job is not known,
  // unless its end is written.
  const std::map<std::string, Report::Kind> outcomes = {
      {"hub", Report::Kind::kEnded},   {"lock", Report::Kind::kEnded},
      {"begin", Report::Kind::kEnded}, {"begun", Report::Kind::kLost},
      {"fork", Report::Kind::kLost},   {"go", Report::Kind::kLost},
      {"report", Report::Kind::kLost}, {"end", Report::Kind::kLost},
      {"ended", Report::Kind::kEnded}};
  place_.options.hub.push_back(at("kill"));
  const auto engine = place_.open();
  std::int64_t number = 0;
  for (const auto& [step, outcome] : outcomes) {
    SCOPED_TRACE(step);
    ASSERT_TRUE(replace_file(at("kill"), step, false));
    const Launch one = line_job(++number);
    ASSERT_TRUE(engine->launch(one));
    const auto ends = wait_for_ends(*engine, {one.id});
    ASSERT_EQ(ends.size(), 1u);
    // The end may be read before the supervisor comes to the step behind it.
    for (int i = 0; i < 10'000 && exists(at("kill")); ++i) usleep(1000);
    EXPECT_FALSE(exists(at("kill"))) << "it came to this step";
    EXPECT_EQ(ends.begin()->second.kind, outcome) << ends.begin()->second.detail;
    const int ran = lines()[std::to_string(number)];
    EXPECT_LE(ran, 1);
    if (outcome == Report::Kind::kEnded) {
      EXPECT_EQ(ran, 1);
    }
    EXPECT_TRUE(engine->list()->empty());
  }
}

TEST_F(LocalCrash, AServerThatIsKilledAtRandomMomentsLosesAndRepeatsNothing) {
  constexpr std::int64_t kRounds = 40;
  constexpr std::int64_t kJobs = 6;  // a round
  base::Rng rng(7);
  std::int64_t first = 1;
  for (std::int64_t round = 0; round < kRounds; ++round, first += kJobs) {
    const pid_t server = fork_server([&] {
      const auto engine = place_.open();
      // As after each start: what was ordered before is ordered again.
      for (std::int64_t number = std::max<std::int64_t>(1, first - 2 * kJobs);
           number < first + kJobs; ++number)
        (void)engine->launch(line_job(number));
      pause();
    });
    usleep(static_cast<useconds_t>(rng.below(40'000)));
    kill(server, SIGKILL);
    end_of(server);
  }
  const auto engine = place_.open();
  std::vector<model::AllocationId> ids;
  for (std::int64_t number = 1; number < first; ++number) {
    ASSERT_TRUE(engine->launch(line_job(number)));
    ids.push_back(line_job(number).id);
  }
  const auto ends = wait_for_ends(*engine, ids);
  EXPECT_EQ(ends.size(), ids.size());
  for (const auto& [id, end] : ends) {
    EXPECT_EQ(end.kind, Report::Kind::kEnded) << end.detail;
    EXPECT_EQ(end.exit_code, 0);
  }
  const auto count = lines();
  for (const model::AllocationId& id : ids) {
    const auto found = count.find(job_name(id.job));
    EXPECT_EQ(found == count.end() ? 0 : found->second, 1) << "job " << id.job.number;
  }
}

TEST_F(LocalCrash, WithItsSupervisorAJobDiesWhereverItsProcessesWent) {
  const auto engine = place_.open();
  const Launch one = launch_of(1, "setsid sh -c 'trap \"\" TERM; touch " + at("away") +
                                      "; sleep 60' & touch " + at("here") + "; sleep 60");
  ASSERT_TRUE(engine->launch(one));
  wait_for_file("away");
  wait_for_file("here");
  const auto text = read_file(LocalFolder(place_.options.folder).live("1-1") + "/plan");
  const std::string marker = "HEADROOM_ALLOCATION=" + parse_plan(*text)->token;
  EXPECT_FALSE(processes_with(marker).empty());
  ASSERT_EQ(kill(std::stoi(supervisor_of(one.id)), SIGKILL), 0);
  const auto ends = wait_for_ends(*engine, {one.id});
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends.begin()->second.kind, Report::Kind::kLost);
  EXPECT_TRUE(processes_with(marker).empty());
}

TEST_F(LocalCrash, ASupervisorThatDiesWhileNoServerRunsIsFoundAtTheNextOpen) {
  auto engine = place_.open();
  const Launch one = launch_of(1, "touch " + at("here") + "; sleep 60");
  ASSERT_TRUE(engine->launch(one));
  wait_for_file("here");
  const std::string supervisor = supervisor_of(one.id);
  engine.reset();
  ASSERT_EQ(kill(std::stoi(supervisor), SIGKILL), 0);
  engine = place_.open();
  EXPECT_EQ(engine->list()->size(), 1u) << "held until it is sure that nothing is left";
  EXPECT_EQ(wait_for_ends(*engine, {one.id}).begin()->second.kind, Report::Kind::kLost);
}

// Puts an allocation's folder there as an earlier server might have left it.
class LocalLeft : public LocalCrash {
 protected:
  Report open_with(const std::string& plan, const std::string& reports) {
    const LocalFolder folder(place_.options.folder);
    EXPECT_TRUE(folder.make());
    EXPECT_TRUE(make_folder(folder.live("1-1")));
    EXPECT_TRUE(replace_file(folder.live("1-1") + "/plan", plan, false));
    if (!reports.empty()) {
      EXPECT_TRUE(replace_file(folder.live("1-1") + "/reports", reports, false));
    }
    engine_ = place_.open();
    const auto ends = wait_for_ends(*engine_, {line_job(1).id});
    return ends.empty() ? Report{} : ends.begin()->second;
  }
  LocalPlan plan() const {
    LocalPlan plan;
    plan.id = line_job(1).id;
    plan.epoch = 1;
    plan.boot = boot_id();
    plan.token = "0123456789abcdef";
    plan.run = "echo 1 >> " + at("lines");
    plan.launch_ms = 10'000;
    plan.logs = LocalFolder(place_.options.folder).logs(plan.id);
    plan.log_segment = 1000;
    plan.log_segments = 2;
    plan.tasks.emplace_back();
    return plan;
  }
  std::unique_ptr<Engine> engine_;
};

TEST_F(LocalLeft, APlanThatNobodyBeganIsStarted) {
  EXPECT_EQ(open_with(print_plan(plan()), "").kind, Report::Kind::kEnded);
  EXPECT_EQ(lines()["1"], 1);
}

TEST_F(LocalLeft, APlanOfAnEarlierStartOfTheMachineIsLost) {
  LocalPlan old = plan();
  old.boot = "another";
  EXPECT_EQ(open_with(print_plan(old), "").kind, Report::Kind::kLost);
  EXPECT_EQ(lines()["1"], 0);
}

TEST_F(LocalLeft, WhatAPowerCutTookIsLostAndNotStartedAgain) {
  const LocalFolder folder(place_.options.folder);
  ASSERT_TRUE(folder.make());
  // Of three: nothing is left, an empty plan is left, it was forgotten; the fourth is of this boot
  // and did not come to be.
  ASSERT_TRUE(replace_file(folder.at("launched"),
                           "1-1 3 old\n2-1 3 old\n3-1 3 old\n3-1\n4-1 3 " + boot_id() + "\n",
                           false));
  ASSERT_TRUE(make_folder(folder.live("2-1")));
  ASSERT_TRUE(replace_file(folder.live("2-1") + "/plan", "", false));
  engine_ = place_.open();
  const auto ends = wait_for_ends(*engine_, {line_job(1).id, line_job(2).id});
  ASSERT_EQ(ends.size(), 2u);
  for (const auto& [id, end] : ends) {
    EXPECT_EQ(end.kind, Report::Kind::kLost);
    EXPECT_EQ(end.epoch, 3u);
    ASSERT_TRUE(engine_->launch(launch_of(id.job.number, "echo never >> " + at("lines"))));
  }
  Launch fourth = line_job(4);
  ASSERT_TRUE(engine_->launch(fourth));
  wait_for_ends(*engine_, {fourth.id});
  EXPECT_EQ(lines(), (std::map<std::string, int>{{"4", 1}}));
}

TEST_F(LocalLeft, ATornReportIsCutOff) {
  const std::string begun = print_report_line({.begun = true, .pid = 1});
  EXPECT_EQ(open_with(print_plan(plan()), begun + "{\"kind\":\"end").kind, Report::Kind::kLost);
  EXPECT_EQ(lines()["1"], 0);
}

TEST_F(LocalLeft, ADamagedPlanFailsInOneLineWithoutItsText) {
  const Report report = open_with("{\"env\":[[\"KEY\",\"s3cr3t\"", "");
  EXPECT_EQ(report.kind, Report::Kind::kLaunchFailed);
  EXPECT_NE(report.detail.find("damaged"), std::string::npos) << report.detail;
  EXPECT_EQ(report.detail.find("s3cr3t"), std::string::npos) << report.detail;
}

}  // namespace
}  // namespace headroom::engine
