// What only the local engine does: users, logs, devices, its folder.
#include "engine/local_engine.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/local_folder.h"
#include "engine/local_launch.h"
#include "engine/local_log.h"
#include "engine/posix.h"
#include "engine/testing/local_host.h"
#include "engine/testing/reports.h"

namespace headroom::engine {
namespace {

class LocalEngineTest : public testing::Test {
 protected:
  Report run(const Launch& launch) {
    if (!engine_) engine_ = place_.open();
    const auto launched = engine_->launch(launch);
    EXPECT_TRUE(launched) << launched.error().message;
    const auto ends = wait_for_ends(*engine_, {launch.id});
    EXPECT_EQ(ends.size(), 1u);
    return ends.empty() ? Report{} : ends.begin()->second;
  }
  std::string log(const Launch& launch, std::int64_t rank = 0) const {
    const auto piece = LocalLogs(place_.options.folder).read(launch.id, rank, 0, 1 << 20);
    return piece ? piece->bytes : piece.error().message;
  }

  LocalPlace place_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(LocalEngineTest, OneServerAtATimeHasTheFolder) {
  const auto first = place_.open();
  const auto second = open_local_engine(place_.options);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another server"), std::string::npos);
}

TEST_F(LocalEngineTest, AHubThatIsNotThereIsAnErrorAtOpen) {
  place_.options.hub = {place_.scratch() + "/no-hub"};
  const auto engine = open_local_engine(place_.options);
  ASSERT_FALSE(engine);
  EXPECT_NE(engine.error().message.find("no-hub"), std::string::npos) << engine.error().message;
}

TEST_F(LocalEngineTest, AHubThatStartsNothingFailsTheLaunchInTime) {
  place_.options.hub = {"/bin/true"};
  place_.options.launch_time = base::Duration{1500};
  const Report report = run(launch_of(1, "true"));
  EXPECT_EQ(report.kind, Report::Kind::kLaunchFailed);
  EXPECT_NE(report.detail.find("supervisor"), std::string::npos) << report.detail;
  EXPECT_TRUE(engine_->list()->empty());
}

TEST_F(LocalEngineTest, AJobRunsAsItsUserWithItsGroups) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can run jobs as others";
  ASSERT_NE(getpwnam("nobody"), nullptr);
  Launch one = launch_of(1, "id -un; id -G; umask; touch " + place_.scratch() + "/mine; pwd");
  one.job.user = "nobody";
  one.job.workdir = place_.scratch();
  one.job.output = "theirs";
  EXPECT_EQ(run(one).exit_code, 0) << log(one);
  const std::string text = log(one);
  EXPECT_TRUE(text.starts_with("nobody\n")) << text;
  EXPECT_EQ(text.find(" 0 "), std::string::npos) << "no group of root: " << text;
  EXPECT_NE(text.find("\n0022\n"), std::string::npos) << text;
  struct stat about{};
  for (const char* name : {"/mine", "/theirs"}) {
    ASSERT_EQ(stat((place_.scratch() + name).c_str(), &about), 0) << name;
    EXPECT_EQ(about.st_uid, getpwnam("nobody")->pw_uid) << name;
  }
}

TEST_F(LocalEngineTest, WhereTheUserMayNotGoTheLaunchFails) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can run jobs as others";
  Launch one = launch_of(1, "true");
  one.job.user = "nobody";
  one.job.workdir = place_.options.folder;
  const Report report = run(one);
  EXPECT_EQ(report.kind, Report::Kind::kLaunchFailed);
  EXPECT_NE(report.detail.find("Permission denied"), std::string::npos) << report.detail;
}

TEST_F(LocalEngineTest, EachRankHasItsLog) {
  Launch one = launch_of(1, "echo out $HEADROOM_RANK; echo err $HEADROOM_RANK >&2; cat");
  one.job.groups[0].tasks = 2;
  one.tasks = {{.task = 0, .rank = 0, .node = "n1"}, {.task = 1, .rank = 1, .node = "n1"}};
  EXPECT_EQ(run(one).exit_code, 0) << "standard input is empty";
  EXPECT_EQ(log(one, 0), "out 0\nerr 0\n");
  EXPECT_EQ(log(one, 1), "out 1\nerr 1\n");
  EXPECT_EQ(log(one, 2), "job 1 (attempt 1) has no log of rank 2");
  engine_->forget(one.id);
  engine_.reset();
  EXPECT_EQ(log(one, 0), "out 0\nerr 0\n") << "logs stay when the job is forgotten";
}

TEST_F(LocalEngineTest, ALogIsBounded) {
  place_.options.log_segment = 1000;
  place_.options.log_segments = 3;
  const Launch one =
      launch_of(1, "i=0; while [ $i -lt 1000 ]; do echo 'line '$i; i=$((i+1)); done");
  EXPECT_EQ(run(one).exit_code, 0);
  const LocalLogs logs(place_.options.folder);
  const auto extent = logs.extent(one.id, 0);
  ASSERT_TRUE(extent);
  EXPECT_EQ(extent->end, 8890);
  EXPECT_EQ(extent->first, 6000);
  EXPECT_EQ(logs.tail(one.id, 0, 2, 1000)->bytes, "line 998\nline 999\n");
}

TEST_F(LocalEngineTest, AScriptIsRunByTheInterpreterThatItNames) {
  const Launch one =
      launch_of(1, "#!/usr/bin/env python3\nimport os\nprint('python', os.getcwd())\n");
  EXPECT_EQ(run(one).exit_code, 0) << log(one);
  EXPECT_TRUE(log(one).starts_with("python /")) << log(one);
  Launch wrong = launch_of(2, "#!/no/such/interpreter\n");
  EXPECT_EQ(run(wrong).kind, Report::Kind::kLaunchFailed);
}

TEST_F(LocalEngineTest, DeclaredDevicesAreNamedByTheirIndices) {
  Launch one = launch_of(1, "echo $CUDA_VISIBLE_DEVICES $HEADROOM_GPUS $HEADROOM_GPU_SHARE");
  one.tasks[0].devices = {{.gpu = 2, .share = base::kWholeGpu},
                          {.gpu = 5, .share = base::kWholeGpu}};
  run(one);
  EXPECT_EQ(log(one), "2,5 2\n");
  Launch part = launch_of(2, one.job.run);
  part.tasks[0].devices = {{.gpu = 3, .share = base::GpuMilli{250}}};
  run(part);
  EXPECT_EQ(log(part), "3 1 250m\n");
}

TEST_F(LocalEngineTest, ASecretIsNowhereButInThePlanThatOnlyTheServerReads) {
  Launch one = launch_of(1, "sleep 60");
  one.job.env = {{"KEY", "s3cr3t"}};
  engine_ = place_.open();
  ASSERT_TRUE(engine_->launch(one));
  Launch broken = launch_of(2, "true");
  broken.job.env = {{"KEY", "s3cr3t"}, {"A=B", "s3cr3t"}};
  ASSERT_TRUE(engine_->launch(broken));
  const auto failed = wait_for_ends(*engine_, {broken.id});
  EXPECT_EQ(failed.begin()->second.kind, Report::Kind::kLaunchFailed);
  EXPECT_EQ(failed.begin()->second.detail.find("s3cr3t"), std::string::npos);
  const auto files_with_it = [&] {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place_.options.folder)) {
      if (!entry.is_regular_file()) continue;
      const auto text = read_file(entry.path().string());
      if (text && text->find("s3cr3t") != std::string::npos)
        found.push_back(entry.path().filename().string());
    }
    return found;
  };
  EXPECT_EQ(files_with_it(), (std::vector<std::string>{"plan"}));
  EXPECT_EQ(std::filesystem::status(place_.options.folder).permissions(),
            std::filesystem::perms::owner_all);
  (void)engine_->stop({.id = one.id, .epoch = 1, .grace = base::Duration{0}});
  wait_for_ends(*engine_, {one.id});
  engine_->forget(one.id);
  engine_.reset();
  EXPECT_EQ(files_with_it(), std::vector<std::string>{});
}

TEST_F(LocalEngineTest, WhatDoesNotHoldHereIsSaid) {
  place_.options.cgroups = false;
  place_.options.nvml = "libno-such-nvml.so";
  engine_ = place_.open();
  const std::vector<std::string> lines = engine_->limitations();
  const auto says = [&](const std::string& word) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(word) != std::string::npos;
    });
  };
  EXPECT_TRUE(says("CPU limits are not enforced"));
  EXPECT_TRUE(says("memory limits are not enforced"));
  EXPECT_TRUE(says("libno-such-nvml.so"));
  EXPECT_EQ(run(launch_of(1, "true")).exit_code, 0) << "without groups it runs all the same";
}

TEST(FillIn, PatternsNameJobElementNameAndRank) {
  Launch launch = launch_of(12, "true");
  launch.id.job.element = 3;
  launch.job.job = "a/b";
  EXPECT_EQ(fill_in("%j %a %x %t %% %q %", launch, 5), "12.3 3 a_b 5 % %q %");
  launch.id.job.element = -1;
  EXPECT_EQ(fill_in("%j-%a", launch, 0), "12-12");
}

TEST(AllocationName, IsReadBack) {
  for (const char* name : {"1041-2", "1041.7-2", "0-0"})
    EXPECT_EQ(allocation_name(parse_allocation_name(name).value()), name);
  for (const char* name : {"", "1041", "1041-", "-2", "1041.-2", "a-1", "1-2x", "../1-2", "1.-1-2"})
    EXPECT_FALSE(parse_allocation_name(name)) << name;
}

TEST(ReportLines, AreReadBack) {
  Report report;
  report.kind = Report::Kind::kEnded;
  report.id = {.job = {.number = 1}, .attempt = 1};
  report.epoch = 3;
  report.exit_code = 7;
  report.out_of_memory = true;
  report.detail = "two\nlines, \xff";
  const std::string text = print_report_line({.report = report});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  const auto lines = parse_report_lines(text + text.substr(0, 9), report.id);
  ASSERT_TRUE(lines);
  ASSERT_EQ(lines->lines.size(), 1u);
  EXPECT_EQ(lines->bytes, text.size());
  report.detail = "two\nlines, \xef\xbf\xbd";
  EXPECT_EQ(lines->lines[0].report, report);
  EXPECT_FALSE(parse_report_lines("{\"kind\":\"other\"}\n", report.id));
}

}  // namespace
}  // namespace headroom::engine
