#include "formats/gavel.h"

#include <filesystem>

#include "formats/history.h"

namespace headroom::formats {
namespace {

using model::History;

constexpr const char* kRates =
    "{\"k80\": {}, \"v100\": {\"('ResNet-18 (batch size 16)', 2)\": {\"null\": 4.0, \"('A3C', "
    "1)\": "
    "[1.0, 2.0]}, \"('A3C', 1)\": {\"null\": 0.0}}}\n";
constexpr const char* kRow = "ResNet-18 (batch size 16)\tpython3 main.py\t-n\t1\t10\t1.500000\t2\n";

base::Result<History> read(const std::string& text, bool lenient = false) {
  const auto rates = read_gavel_throughputs("rates.json", kRates);
  if (!rates) return tl::unexpected(rates.error());
  History history;
  const auto done = read_gavel_tenant("folder/0e4a51.trace", text, *rates, {lenient}, history);
  if (!done) return tl::unexpected(done.error());
  return history;
}

TEST(Gavel, RunTimeIsStepsDividedByThroughput) {
  const auto history = read(kRow);
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->jobs.size(), 1u);
  const model::HistoricJob& one = history->jobs[0];
  EXPECT_EQ(one.run, base::Duration{2500});
  EXPECT_EQ(one.submit, base::Time{1500});
  EXPECT_EQ(one.job.queue, "0e4a51");
  EXPECT_EQ(model::gpus_of(one.job), 2);
}

TEST(Gavel, JobsWithoutThroughputAreLeftOutAndCounted) {
  const auto history = read("A3C\tx\t-n\t0\t10\t0.0\t1\nA3C\tx\t-n\t0\t10\t0.0\t4\n");
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_TRUE(history->jobs.empty());
  EXPECT_EQ(history->rows_left_out(), 2);
}

TEST(Gavel, BadRowsNameFileLineAndWhatIsAllowed) {
  const auto error = [](const std::string& text) {
    const auto history = read(text);
    return history ? std::string("read") : history.error().message;
  };
  EXPECT_EQ(error("a\tb\n"), "folder/0e4a51.trace:1: the row has 2 tab-separated fields, not 7");
  EXPECT_EQ(error(std::string(kRow) + "A3C\tx\t-n\t1\t-1\t0\t1\n"),
            "folder/0e4a51.trace:2: steps: -1 is not in 1..1000000000000");
  EXPECT_EQ(error("A3C\tx\t-n\t1\t1\t-5.0\t1\n"),
            "folder/0e4a51.trace:1: arrival: -5.0 is not a number in 0..10000000000");
  EXPECT_EQ(error("A3C\tx\t-n\t1\t1\tnan\t1\n"),
            "folder/0e4a51.trace:1: arrival: nan is not a number in 0..10000000000");
  EXPECT_EQ(error("A3C\tx\t-n\t1\t1\t5.0\t0\n"),
            "folder/0e4a51.trace:1: GPUs: 0 is not in 1..16384");
  EXPECT_EQ(error("A3C\tx\xff\t-n\t1\t1\t5.0\t1\n"),
            "folder/0e4a51.trace:1: there are bytes that are not UTF-8 text");
  EXPECT_EQ(error("A3C\tx\t-n\t1\t1\t5.0\t1"),
            "folder/0e4a51.trace:1: the file ends in the middle of a line (no newline at the end)");
}

TEST(Gavel, LenientCountsBadRows) {
  const auto history = read("a\tb\n" + std::string(kRow), true);
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs.size(), 1u);
  EXPECT_EQ(history->rows_left_out(), 1);
  ASSERT_EQ(history->notes.size(), 1u);
  EXPECT_EQ(history->notes[0],
            "left out: folder/0e4a51.trace:1: the row has 2 tab-separated fields, not 7");
}

// The counts and the sum are those of ../shared/data/README.md.
TEST(Gavel, WholeTraceHasThePublishedSums) {
  const std::string folder =
      std::string(HEADROOM_SOURCE_DIR) + "/../shared/data/traces/gavel/msr-seed0";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const auto history = read_history(folder, HistoryFormat::kAuto, {});
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs.size(), 13'716u);
  EXPECT_EQ(history->rows_left_out(), 1'548);
  std::int64_t gpu_ms = 0;
  for (const model::HistoricJob& one : history->jobs) {
    gpu_ms += one.run.value() * model::gpus_of(one.job);
  }
  EXPECT_EQ(gpu_ms / 3'600'000, 762'835);
}

}  // namespace
}  // namespace headroom::formats
