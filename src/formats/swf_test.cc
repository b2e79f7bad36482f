#include "formats/swf.h"

namespace headroom::formats {
namespace {

using model::HistoricJob;
using model::History;
using model::Outcome;

// Format: Parallel Workloads Archive, "The Standard Workload Format", version 2.2.
const std::string kText =
    "; Version: 2.2\n;  UnixStartTime: 1000000000\n"
    "1 0 10 3600 4 -1 -1 4 7200 1024 1 5 2 9 1 -1 -1 -1\n"
    "2 30 0 60 16 59.5 -1 16 -1 -1 0 6 2 -1 0 3 1 20\n"
    "3 40 -1 -1 8 -1 -1 8 100 -1 5 6 -1 -1 -1 -1 -1 -1\n"
    "4 50 -1 -1 -1 -1 -1 -1 100 -1 5 6 -1 -1 -1 -1 -1 -1\n";

base::Result<History> read(const std::string& text, HistoryOptions options = {}) {
  return read_swf("log.swf", text, options);
}

TEST(Swf, FieldsAreThoseOfTheFormat) {
  const auto history = read(kText);
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->jobs.size(), 3u);
  const HistoricJob& one = history->jobs[0];
  EXPECT_EQ(one.submit, base::Time{1'000'000'000'000});
  EXPECT_EQ(base::between(one.submit, one.start), base::Duration{10'000});
  EXPECT_EQ(one.run, base::Duration{3'600'000});
  EXPECT_EQ(one.job.time, base::Duration{7'200'000});
  EXPECT_EQ(one.job.user, "user5");
  EXPECT_EQ(one.job.queue, "queue1");
  EXPECT_EQ(one.job.groups[0].tasks, 4);
  EXPECT_EQ(one.job.groups[0].request.cpu, base::CpuMilli{1000});
  EXPECT_EQ(one.job.groups[0].request.memory, base::mebibytes(1));
  EXPECT_EQ(history->jobs[1].outcome, Outcome::kFailed);
  EXPECT_EQ(history->jobs[1].job.after.at(0).job, 1);
  EXPECT_EQ(history->jobs[2].outcome, Outcome::kCancelled);
  EXPECT_EQ(history->jobs[2].start, base::Time{});
  EXPECT_EQ(history->rows_left_out(), 1);  // no number of processors
}

TEST(Swf, ProcessorsMayBeGpus) {
  const auto history = read(kText, {.processors_are_gpus = true});
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs[0].job.groups[0].request.gpu, model::GpuRequest::whole(4));
  EXPECT_EQ(history->jobs[1].job.groups[0].tasks, 2);
  EXPECT_EQ(model::gpus_of(history->jobs[1].job), 16);
}

TEST(Swf, BadRowsNameTheField) {
  const auto error = [](const std::string& text) {
    const auto history = read(text);
    return history ? "read" : history.error().message;
  };
  const std::string row = "1 0 10 3600 4 -1 -1 4 7200 -1 1 5 2 9 1 -1 -1 -1\n";
  EXPECT_EQ(error(row + row), "log.swf:2: job number: 1 is there twice");
  EXPECT_EQ(error("1 -1 10 3600 4 -1 -1 4 7200 -1 1 5 2 9 1 -1 -1 -1\n"),
            "log.swf:1: submit time: -1 is not in 0..100000000000");
  EXPECT_EQ(error("1 0 10 -60 4 -1 -1 4 7200 -1 1 5 2 9 1 -1 -1 -1\n"),
            "log.swf:1: run time: -60 is not in -1..100000000000");
  EXPECT_EQ(error("1 0 10\n"), "log.swf:1: the row has 3 fields, not 18");
  EXPECT_EQ(error(row + "2 0 10 36"),
            "log.swf:2: the file ends in the middle of a line (no newline at the end)");
}

TEST(Swf, IsRecognised) {
  EXPECT_TRUE(looks_like_swf(kText));
  EXPECT_TRUE(looks_like_swf("1 0 10 3600 4 -1 -1 4 7200 -1 1 5 2 9 1 -1 -1 -1\n"));
  EXPECT_FALSE(looks_like_swf("submit,gpus\n"));
}

}  // namespace
}  // namespace headroom::formats
