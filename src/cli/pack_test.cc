#include "cli/pack.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/pack_fake.h"

namespace headroom::cli {
namespace {

namespace fs = std::filesystem;

struct Ran {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// A folder of its own with a small cluster and a task list.
class Pack : public testing::Test {
 protected:
  Pack() {
    std::string pattern = (fs::temp_directory_path() / "pack_test_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    options_.nodes = write("nodes.csv",
                           "sn,cpu_milli,memory_mib,gpu,model\n"
                           "a,64000,262144,4,T4\n"
                           "b,64000,262144,4,T4\n");
    options_.tasks = {write("list.csv",
                            "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n"
                            "one,4000,1024,1,1000\n"
                            "two,2000,1024,1,300\n"
                            "cpu,2000,1024,0,0\n")};
    options_.placements = {"fgd", "best_fit"};
    options_.seeds = "1-4";
    options_.threads = 2;
  }
  ~Pack() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (fs::path(folder_) / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  Ran run(const RunOne& one = fake_run) const {
    char* texts[2] = {nullptr, nullptr};
    std::size_t sizes[2] = {0, 0};
    PackSurroundings to{.run = one,
                        .out = open_memstream(&texts[0], &sizes[0]),
                        .err = open_memstream(&texts[1], &sizes[1])};
    Ran result;
    result.exit_code = run_pack(options_, to);
    std::fclose(to.out);
    std::fclose(to.err);
    result.out.assign(texts[0], sizes[0]);
    result.err.assign(texts[1], sizes[1]);
    std::free(texts[0]);
    std::free(texts[1]);
    return result;
  }

  // Fails with one line on stderr that holds `part`, nothing on stdout, and no run is started.
  void expect_refused(const std::string& part) const {
    const Ran ran = run([](const simulate::FillUp& one) {
      ADD_FAILURE() << "a run was started";
      return fake_run(one);
    });
    EXPECT_EQ(ran.exit_code, kUsage);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find(part), std::string::npos) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }

  std::string folder_;
  PackOptions options_;
};

TEST_F(Pack, PrintsTheSameForAnyNumberOfThreads) {
  for (const char* form : {"table", "wide", "csv"}) {
    options_.output = form;
    options_.threads = 1;
    const Ran one = run();
    options_.threads = 8;
    const Ran eight = run();
    EXPECT_EQ(one.exit_code, kOk);
    EXPECT_GT(one.out.size(), 0u);
    EXPECT_EQ(one.out, eight.out);
    EXPECT_EQ(one.err, "");
  }
}

TEST_F(Pack, TheRealExperimentDoesNotDependOnThreads) {
  options_.output = "csv";
  options_.threads = 1;
  const Ran one = run(simulate::fill_up);
  ASSERT_EQ(one.exit_code, kOk) << one.err;
  options_.threads = 4;
  EXPECT_EQ(run(simulate::fill_up).out, one.out);
}

TEST_F(Pack, APipeGetsPlainColumns) { EXPECT_EQ(run().out.substr(0, 5), "TASKS"); }

TEST_F(Pack, AllPlacementsByDefault) {
  options_.placements.clear();
  options_.output = "json";
  const auto document = nlohmann::json::parse(run().out);
  EXPECT_GE(document["rows"].size(), 7u);
}

TEST_F(Pack, WritesTheReportWhole) {
  options_.report = path("out.html");
  EXPECT_EQ(run().exit_code, kOk);
  EXPECT_GT(fs::file_size(options_.report), 200'000u);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().string().find("out.html."), std::string::npos) << "a leftover";
  }
}

TEST_F(Pack, AFailedRunLeavesNoOutputAndNoReport) {
  options_.report = path("out.html");
  const Ran ran = run([](const simulate::FillUp&) -> base::Result<simulate::FillUpResult> {
    return base::fail("no memory");
  });
  EXPECT_EQ(ran.exit_code, kUsage);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "headroom: list, fgd, seed 1: no memory\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(Pack, MissingFile) {
  options_.tasks = {path("none.csv")};
  expect_refused("none.csv: ");
}

TEST_F(Pack, UnknownPlacementSuggestsTheNearest) {
  options_.placements = {"fgd", "bestfit"};
  expect_refused("--placement: 'bestfit' is unknown (did you mean best_fit?)");
}

TEST_F(Pack, BadSeeds) {
  for (const char* seeds : {"", "x", "5-1", "1-", "-1", "1,,2", "1,1", "1-20000", "1-3,2",
                            "99999999999999999999", "0-18446744073709551615"}) {
    options_.seeds = seeds;
    expect_refused("--seeds: ");
  }
}

TEST_F(Pack, ArriveOutsideItsRange) {
  for (double arrive : {0.0, -1.0, 10.1, 1e300, 0.0001, std::nan("")}) {
    options_.arrive = arrive;
    expect_refused("--arrive: ");
  }
}

TEST_F(Pack, ThreadsOutsideTheirRange) {
  options_.threads = -1;
  expect_refused("--threads: -1 is not in 0..1024");
}

TEST_F(Pack, NoTaskWithAGpu) {
  options_.tasks = {
      write("cpu.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\ncpu,2000,1024,0,0\n")};
  expect_refused("cpu.csv: no task asks for a GPU");
}

TEST_F(Pack, NoNodeWithAGpu) {
  options_.nodes = write("cpu.csv", "sn,cpu_milli,memory_mib,gpu,model\na,64000,262144,0,\n");
  expect_refused("cpu.csv: no node has a GPU");
}

TEST_F(Pack, ABadRowIsNamed) {
  options_.nodes = write("bad.csv", "sn,cpu_milli,memory_mib,gpu,model\na,64000,262144,-1,T4\n");
  expect_refused("bad.csv:2: gpu: ");
}

TEST_F(Pack, LenientLeavesBadRowsOutAndSaysSo) {
  options_.lenient = true;
  options_.nodes = write("bad.csv",
                         "sn,cpu_milli,memory_mib,gpu,model\n"
                         "a,64000,262144,4,T4\nb,64000,262144,-1,T4\n");
  const Ran ran = run();
  EXPECT_EQ(ran.exit_code, kOk);
  EXPECT_NE(ran.err.find("bad.csv: 1 bad row left out; the first: "), std::string::npos);
}

TEST_F(Pack, AReportThatCannotBeWrittenIsFoundOutBeforeTheRuns) {
  options_.report = path("no/such/folder/out.html");
  expect_refused("--report: ");
  options_.report = folder_;
  expect_refused("--report: ");
}

TEST_F(Pack, OneListTwice) {
  options_.tasks.push_back(options_.tasks[0]);
  expect_refused("list.csv is given twice");
}

TEST_F(Pack, ListsOfOneNameAreToldApart) {
  fs::create_directory(path("more"));
  fs::copy(options_.tasks[0], path("more/list.csv"));
  options_.tasks.push_back(path("more/list.csv"));
  options_.output = "json";
  const auto document = nlohmann::json::parse(run().out);
  EXPECT_EQ(document["rows"][0]["tasks"], path("list.csv"));
  EXPECT_EQ(document["rows"][2]["tasks"], path("more/list.csv"));
}

TEST_F(Pack, BoundsAreChecked) {
  options_.bounds = write("bounds.csv", "list,prefix_bound,free_bound_100\nlist,101,99\n");
  expect_refused("bounds.csv:2: prefix_bound: ");
}

}  // namespace
}  // namespace headroom::cli
