// The engine contract: what every engine must do, tested with real processes. An engine's own test
// includes this file, writes a ContractHost for itself, and says
//
//   INSTANTIATE_TEST_SUITE_P(Local, EngineContract, testing::Values(make_local_host));
//
// Nothing here sleeps longer than it must: tests wait for reports, and for files that jobs write.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"

namespace headroom::engine {

// Where a contract test runs.
class ContractHost {
 public:
  virtual ~ContractHost() = default;
  // Opens the engine; after the one before was closed, what that started is found again.
  virtual std::unique_ptr<Engine> open() = 0;
  // A folder that the jobs and this test can write in.
  virtual std::string scratch() const = 0;
  // Why limits of this kind cannot be tested here; empty: they can.
  virtual std::string no_memory_limits() const = 0;
  virtual std::string no_cpu_limits() const = 0;
};

using MakeHost = std::function<std::unique_ptr<ContractHost>()>;

class EngineContract : public testing::TestWithParam<MakeHost> {
 protected:
  static constexpr std::chrono::seconds kPatience{30};

  EngineContract() : host_(GetParam()()) { open(); }
  ~EngineContract() override {
    for (const Running& running : list())
      (void)engine_->stop({.id = running.id, .epoch = 1000, .grace = base::Duration{0}});
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (!list().empty() && std::chrono::steady_clock::now() < until) pause();
    EXPECT_TRUE(list().empty()) << "something still runs";
  }

  void open() {
    engine_ = host_->open();
    engine_->on_report([this] {
      const std::lock_guard guard(mutex_);
      rung_ = true;
      bell_.notify_all();
    });
  }
  void close() {
    engine_.reset();
    heard_.clear();
  }
  void reopen() {
    close();
    open();
  }
  std::vector<Running> list() { return engine_->list().value(); }

  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

  static Launch job(std::int64_t number, const std::string& run, std::int64_t tasks = 1) {
    Launch launch;
    launch.id = {.job = {.number = number}, .attempt = 1};
    launch.epoch = 1;
    launch.cluster = "test";
    launch.job.job = "story";
    launch.job.queue = "research";
    launch.job.run = run;
    launch.job.groups[0].tasks = tasks;
    for (std::int64_t i = 0; i < tasks; ++i)
      launch.tasks.push_back({.group = 0, .task = i, .rank = i, .node = "n1"});
    return launch;
  }

  void launch(const Launch& launch) {
    const auto launched = engine_->launch(launch);
    ASSERT_TRUE(launched) << launched.error().message;
  }
  void stop(const Launch& launch, std::int64_t grace_ms, bool checkpoint = true) {
    const auto stopped = engine_->stop(
        {.id = launch.id, .epoch = 1, .checkpoint = checkpoint, .grace = base::Duration{grace_ms}});
    ASSERT_TRUE(stopped) << stopped.error().message;
  }

  // The next report of this kind about this job, from all that were heard; others stay.
  Report wait_for(Report::Kind kind, const Launch& launch) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (true) {
      for (Report& report : engine_->reports()) heard_.push_back(std::move(report));
      for (auto it = heard_.begin(); it != heard_.end(); ++it) {
        if (it->id != launch.id || it->kind != kind) continue;
        Report found = *it;
        heard_.erase(it);
        return found;
      }
      std::unique_lock lock(mutex_);
      if (!bell_.wait_until(lock, until, [&] { return rung_; })) {
        ADD_FAILURE() << "no report of kind " << static_cast<int>(kind) << " about job "
                      << launch.id.job.number;
        for (const Report& report : heard_)
          ADD_FAILURE() << "but kind " << static_cast<int>(report.kind) << " about job "
                        << report.id.job.number << ": " << report.detail;
        return {};
      }
      rung_ = false;
    }
  }
  Report run(const Launch& one) {
    launch(one);
    return wait_for(Report::Kind::kEnded, one);
  }

  std::string at(const std::string& name) const { return host_->scratch() + "/" + name; }
  std::string content(const std::string& name) const {
    std::ifstream file(at(name));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  // Waits until a job has written this (whole lines).
  std::string wait_for_file(const std::string& name, const std::string& expected = "") {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < until) {
      const std::string text = content(name);
      if (expected.empty() ? text.ends_with('\n') : text == expected) return text;
      pause();
    }
    ADD_FAILURE() << name << " is '" << content(name) << "'";
    return content(name);
  }
  static bool lives(const std::string& pid) {
    std::ifstream status("/proc/" + pid + "/stat");
    std::string text;
    // A zombie has ended: only its parent has not asked for it yet.
    return std::getline(status, text) && text.find(") Z ") == std::string::npos;
  }

  std::unique_ptr<ContractHost> host_;
  std::unique_ptr<Engine> engine_;
  std::deque<Report> heard_;
  std::mutex mutex_;
  std::condition_variable bell_;
  bool rung_ = false;
};

TEST_P(EngineContract, AJobIsReportedStartedThenEnded) {
  const Launch one = job(1, "true");
  launch(one);
  const Report started = wait_for(Report::Kind::kStarted, one);
  EXPECT_EQ(started.epoch, 1u);
  const Report ended = wait_for(Report::Kind::kEnded, one);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.signal, 0);
  EXPECT_FALSE(ended.stopped || ended.timed_out || ended.out_of_memory);
  EXPECT_TRUE(list().empty());
}

TEST_P(EngineContract, ExitCodesAndSignalsAreExact) {
  for (const int code : {0, 1, 3, 126, 255}) {
    const Report ended = run(job(10 + code, "exit " + std::to_string(code)));
    EXPECT_EQ(ended.exit_code, code);
    EXPECT_EQ(ended.signal, 0);
  }
  for (const int signal : {9, 11, 15}) {
    const Report ended = run(job(300 + signal, "kill -" + std::to_string(signal) + " $$"));
    EXPECT_EQ(ended.signal, signal);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_FALSE(ended.stopped);
  }
}

TEST_P(EngineContract, AHeldAllocationIsListedUntilItEnds) {
  const Launch one = job(2, "read line < " + at("fifo"));
  ASSERT_EQ(std::system(("mkfifo -m 666 " + at("fifo")).c_str()), 0);
  launch(one);
  wait_for(Report::Kind::kStarted, one);
  EXPECT_EQ(list(), (std::vector<Running>{{one.id, 1, true}}));
  std::ofstream(at("fifo")) << "go\n";
  EXPECT_EQ(wait_for(Report::Kind::kEnded, one).exit_code, 0);
  EXPECT_TRUE(list().empty());
}

TEST_P(EngineContract, EachTaskOfAGangKnowsItsRank) {
  Launch one = job(3,
                   "echo $HEADROOM_JOB_ID $HEADROOM_ATTEMPT $HEADROOM_TASKS $HEADROOM_NODE "
                   "$HEADROOM_MASTER_ADDR:${HEADROOM_MASTER_PORT:+port} "
                   "> " +
                       at("rank") + "$HEADROOM_RANK",
                   3);
  one.id.job.element = 7;
  one.id.attempt = 2;
  one.tasks[2].node = "n2";
  EXPECT_EQ(run(one).exit_code, 0);
  EXPECT_EQ(content("rank0"), "3.7 2 3 n1 127.0.0.1:port\n");
  EXPECT_EQ(content("rank1"), "3.7 2 3 n1 127.0.0.1:port\n");
  EXPECT_EQ(content("rank2"), "3.7 2 3 n2 127.0.0.1:port\n");
}

TEST_P(EngineContract, TheEnvironmentIsCleanButForWhatTheJobSays) {
  setenv("SECRET_OF_THE_SERVER", "1", 1);
  Launch one = job(4, "env > " + at("env") + "; pwd > " + at("pwd"));
  one.job.env = {{"MINE", "a b=c"}, {"HEADROOM_RANK", "9"}};
  one.job.workdir = host_->scratch();
  EXPECT_EQ(run(one).exit_code, 0);
  const std::string env = "\n" + content("env");
  EXPECT_NE(env.find("\nMINE=a b=c\n"), std::string::npos);
  EXPECT_NE(env.find("\nHEADROOM_RANK=0\n"), std::string::npos) << "ours counts";
  EXPECT_NE(env.find("\nPATH=/"), std::string::npos);
  EXPECT_NE(env.find("\nHOME=/"), std::string::npos);
  EXPECT_EQ(env.find("SECRET_OF_THE_SERVER"), std::string::npos);
  EXPECT_EQ(content("pwd"), std::filesystem::canonical(host_->scratch()).string() + "\n");
}

TEST_P(EngineContract, WithoutGpusNoneIsVisible) {
  EXPECT_EQ(run(job(5, "echo \"<${CUDA_VISIBLE_DEVICES-unset}> $HEADROOM_GPUS\" > " + at("gpus")))
                .exit_code,
            0);
  EXPECT_EQ(content("gpus"), "<> 0\n");
}

TEST_P(EngineContract, AStopSendsTermAndWaitsForTheGrace) {
  const Launch one = job(6, "trap 'echo term > " + at("said") + "; exit 4' TERM; echo up > " +
                                at("up") + "; while :; do sleep 0.01; done");
  launch(one);
  wait_for_file("up");
  stop(one, 20'000);
  const Report ended = wait_for(Report::Kind::kEnded, one);
  EXPECT_TRUE(ended.stopped);
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_EQ(content("said"), "term\n");
}

TEST_P(EngineContract, WhatIgnoresTermIsKilledAfterTheGrace) {
  const Launch one = job(7, "trap '' TERM; echo up > " + at("up") + "; while :; do sleep 9; done");
  launch(one);
  wait_for_file("up");
  stop(one, 50);
  const Report ended = wait_for(Report::Kind::kEnded, one);
  EXPECT_TRUE(ended.stopped);
  EXPECT_EQ(ended.signal, 9);
}

TEST_P(EngineContract, ACheckpointSignalComesBeforeTerm) {
  Launch one =
      job(8, "trap 'echo usr1 >> " + at("said") + "' USR1; trap 'echo term >> " + at("said") +
                 "; exit 0' TERM; echo up > " + at("up") + "; while :; do sleep 0.01; done");
  one.job.checkpoint = model::CheckpointSpec{.signal = {"USR1", base::Duration{150}}};
  launch(one);
  wait_for_file("up");
  stop(one, 20'000);
  EXPECT_TRUE(wait_for(Report::Kind::kEnded, one).stopped);
  EXPECT_EQ(content("said"), "usr1\nterm\n");
}

TEST_P(EngineContract, ACheckpointSignalKillsNobodyWhoDoesNotKnowIt) {
  // The outer shell has no trap and goes on when the inner one, which has, is done.
  Launch one = job(9, "sh -c 'trap \"echo saved > " + at("said") + "; exit 0\" USR1; echo up > " +
                          at("up") + "; while :; do sleep 0.01; done'; echo on >> " + at("said"));
  one.job.checkpoint = model::CheckpointSpec{.signal = {"USR1", base::Duration{20'000}}};
  launch(one);
  wait_for_file("up");
  stop(one, 0);
  const Report ended = wait_for(Report::Kind::kEnded, one);
  EXPECT_TRUE(ended.stopped);
  EXPECT_EQ(ended.signal, 0);
  EXPECT_EQ(content("said"), "saved\non\n");
}

TEST_P(EngineContract, AtItsLimitAJobIsStopped) {
  Launch one = job(20, "sleep 60");
  one.limit = base::Duration{100};
  launch(one);
  const Report ended = wait_for(Report::Kind::kEnded, one);
  EXPECT_TRUE(ended.timed_out);
  EXPECT_FALSE(ended.stopped);
  EXPECT_EQ(ended.signal, 15);
}

TEST_P(EngineContract, ACompletedTaskOfAGangIsReportedWhileOthersGoOn) {
  const Launch one = job(
      21, "[ $HEADROOM_RANK = 1 ] && exit 0; until [ -e " + at("go") + " ]; do sleep 0.01; done",
      3);
  launch(one);
  const Report task = wait_for(Report::Kind::kTaskEnded, one);
  EXPECT_EQ(task.task, 1);
  EXPECT_EQ(list().size(), 1u);
  std::ofstream(at("go")) << "\n";
  EXPECT_EQ(wait_for(Report::Kind::kEnded, one).exit_code, 0);
}

TEST_P(EngineContract, WhenOneTaskFailsTheOthersAreStopped) {
  const Launch one = job(22, "[ $HEADROOM_RANK = 2 ] && exit 5; sleep 60", 3);
  const Report ended = run(one);
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_EQ(ended.signal, 0);
  EXPECT_FALSE(ended.stopped);
  EXPECT_NE(ended.detail.find("rank 2"), std::string::npos) << ended.detail;
}

TEST_P(EngineContract, WhatLeftItsSessionIsGoneBeforeTheEndIsReported) {
  // Twice away from its parents, in a session of its own, deaf to TERM.
  const Launch one = job(23, "setsid sh -c '(trap \"\" TERM HUP; echo $$ > " + at("pid1") +
                                 "; sh -c \"echo \\$\\$ > " + at("pid2") +
                                 "; exec sleep 60\" & sleep 60) &' & "
                                 "until [ -s " +
                                 at("pid2") + " ]; do sleep 0.01; done");
  EXPECT_EQ(run(one).exit_code, 0);
  std::string pid = content("pid2");
  ASSERT_FALSE(pid.empty());
  pid.pop_back();
  EXPECT_FALSE(lives(pid)) << pid;
}

TEST_P(EngineContract, TheSameLaunchAgainStartsNothing) {
  const Launch one = job(24, "echo run >> " + at("runs") + "; sleep 0.2");
  launch(one);
  launch(one);
  wait_for(Report::Kind::kStarted, one);
  Launch again = one;
  again.epoch = 2;
  launch(again);
  wait_for(Report::Kind::kEnded, one);
  launch(again);
  reopen();
  launch(again);
  wait_for(Report::Kind::kEnded, one);
  EXPECT_EQ(content("runs"), "run\n");
}

TEST_P(EngineContract, ALowerEpochIsRefused) {
  Launch high = job(25, "sleep 60");
  high.epoch = 5;
  launch(high);
  wait_for(Report::Kind::kStarted, high);
  const Launch low = job(26, "echo run > " + at("runs"));
  const auto refused = engine_->launch(low);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("epoch 1"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(engine_->stop({.id = high.id, .epoch = 4}));
  reopen();
  EXPECT_FALSE(engine_->launch(low)) << "also by the next server";
  EXPECT_EQ(list(), (std::vector<Running>{{high.id, 5, true}}));
  EXPECT_TRUE(engine_->stop({.id = high.id, .epoch = 6, .grace = base::Duration{0}}));
  EXPECT_TRUE(wait_for(Report::Kind::kEnded, high).stopped);
  EXPECT_EQ(content("runs"), "");
}

TEST_P(EngineContract, AStopOfWhatDoesNotRunHasNoEffect) {
  const Launch one = job(27, "true");
  stop(one, 0);
  run(one);
  stop(one, 0);
  EXPECT_EQ(run(job(28, "true")).exit_code, 0);
}

TEST_P(EngineContract, AJobGoesOnWithoutAServerAndIsFoundAgain) {
  const Launch one = job(29, "echo $$ > " + at("pid") + "; until [ -e " + at("go") +
                                 " ]; do sleep 0.01; done; exit 6");
  launch(one);
  std::string pid = wait_for_file("pid");
  pid.pop_back();
  close();
  EXPECT_TRUE(lives(pid));
  open();
  ASSERT_EQ(list().size(), 1u);
  EXPECT_EQ(list()[0].id, one.id);
  wait_for(Report::Kind::kStarted, one);
  std::ofstream(at("go")) << "\n";
  EXPECT_EQ(wait_for(Report::Kind::kEnded, one).exit_code, 6);
}

TEST_P(EngineContract, WhatEndedWithoutAServerIsReportedAtTheNextOpen) {
  const Launch one = job(30, "until [ -e " + at("go") + " ]; do sleep 0.01; done; echo $$ > " +
                                 at("last") + "; exit 7");
  launch(one);
  wait_for(Report::Kind::kStarted, one);
  close();
  std::ofstream(at("go")) << "\n";
  wait_for_file("last");
  open();
  EXPECT_EQ(wait_for(Report::Kind::kEnded, one).exit_code, 7);
}

TEST_P(EngineContract, ReportsAreRepeatedAtEachOpenUntilForgotten) {
  const Launch one = job(31, "exit 8");
  run(one);
  reopen();
  EXPECT_EQ(wait_for(Report::Kind::kEnded, one).exit_code, 8);
  engine_->forget(one.id);
  const Launch other = job(32, "true");
  run(other);
  reopen();
  wait_for(Report::Kind::kEnded, other);
  for (const Report& report : heard_) EXPECT_NE(report.id, one.id);
}

TEST_P(EngineContract, WhatCannotBeStartedSaysWhyInOneLine) {
  Launch nowhere = job(33, "true");
  nowhere.job.workdir = at("not/there");
  launch(nowhere);
  Report failed = wait_for(Report::Kind::kLaunchFailed, nowhere);
  EXPECT_NE(failed.detail.find(at("not/there")), std::string::npos) << failed.detail;
  Launch nobody = job(34, "true");
  nobody.job.user = "no-such-user";
  launch(nobody);
  failed = wait_for(Report::Kind::kLaunchFailed, nobody);
  EXPECT_NE(failed.detail.find("no-such-user"), std::string::npos) << failed.detail;
  EXPECT_TRUE(list().empty());
}

TEST_P(EngineContract, NothingOfAGangRunsUnlessAllOfItCan) {
  Launch one = job(35, "echo run >> " + at("runs"), 3);
  one.job.workdir = host_->scratch();
  one.job.output = "out/%t";  // only rank 1's folder is missing below
  std::filesystem::create_directories(at("out"));
  std::filesystem::create_directories(at("out/1"));  // a folder is no output file
  launch(one);
  const Report failed = wait_for(Report::Kind::kLaunchFailed, one);
  EXPECT_NE(failed.detail.find("rank 1"), std::string::npos) << failed.detail;
  EXPECT_EQ(content("runs"), "");
}

TEST_P(EngineContract, OutputGoesWhereTheJobSays) {
  Launch one = job(36, "echo rank $HEADROOM_RANK; echo error >&2", 2);
  one.id.job.element = 4;
  one.job.workdir = host_->scratch();
  one.job.output = "%x-%j-%a-%t-100%%.out";
  EXPECT_EQ(run(one).exit_code, 0);
  EXPECT_EQ(content("story-36.4-4-0-100%.out"), "rank 0\nerror\n");
  EXPECT_EQ(content("story-36.4-4-1-100%.out"), "rank 1\nerror\n");
}

TEST_P(EngineContract, MoreMemoryThanItsLimitIsReported) {
  if (!host_->no_memory_limits().empty()) GTEST_SKIP() << host_->no_memory_limits();
  Launch one = job(37, "exec python3 -c 'x = bytearray(400 << 20)'");
  one.job.groups[0].request.memory = base::mebibytes(64);
  const Report ended = run(one);
  EXPECT_TRUE(ended.out_of_memory);
  EXPECT_EQ(ended.signal, 9);
}

TEST_P(EngineContract, CpuTimeIsLimited) {
  if (!host_->no_cpu_limits().empty()) GTEST_SKIP() << host_->no_cpu_limits();
  // A tenth of a core: of half a second that passes it gets about 50 ms, and less than a quarter.
  Launch one = job(38,
                   "exec python3 -c \"\nimport time\na = time.monotonic()\n"
                   "while time.monotonic() < a + 0.5: pass\n"
                   "open('" +
                       at("cpu") +
                       "', 'w').write('%d' % (1000 * time.process_time()))\n"
                       "\"");
  one.job.groups[0].request.cpu = base::CpuMilli{100};
  EXPECT_EQ(run(one).exit_code, 0);
  const int milliseconds = std::stoi(content("cpu"));
  EXPECT_LT(milliseconds, 250);  // without a limit: 500, or the start of Python and a share of it
}

}  // namespace headroom::engine
