#include "formats/sacct.h"

#include "formats/history.h"
#include "formats/sacct_text.h"

namespace headroom::formats {
namespace {

using model::HistoricJob;
using model::History;
using model::Outcome;

base::Result<History> read(const std::string& text, HistoryOptions options = {}) {
  return read_history_text("dump.txt", text, HistoryFormat::kSacct, options);
}

std::string error_of(const std::string& text, HistoryOptions options = {}) {
  const auto history = read(text, std::move(options));
  return history ? "read" : history.error().message;
}

// Rows under this header: id, state, submit, start, end, and what the test adds.
const std::string kHeader = "JobID|State|Submit|Start|End|";
std::string row(const std::string& id, const std::string& state = "COMPLETED") {
  return id + "|" + state + "|2026-11-30T11:00:00|2026-11-30T11:00:10|2026-11-30T11:01:10|";
}

TEST(Sacct, ColumnsMayComeInAnyOrder) {
  const auto history = read(
      "NNodes|End|Start|State|User|JobID|Submit|ReqTRES|Account|Timelimit|Elapsed\n"
      "2|2026-11-30T12:00:00|2026-11-30T11:00:00|TIMEOUT|ana|17|2026-11-30T10:00:00|"
      "billing=9,cpu=8,mem=16G,node=2,gres/gpu:h100=16,gres/gpu=16|research|1-12:00:00|01:00:00\n");
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->jobs.size(), 1u);
  const HistoricJob& one = history->jobs[0];
  EXPECT_EQ(one.id, "17");
  EXPECT_EQ(one.number, 17);
  EXPECT_EQ(one.outcome, Outcome::kTimedOut);
  EXPECT_EQ(one.run, base::Duration{3'600'000});
  EXPECT_EQ(one.job.user, "ana");
  EXPECT_EQ(one.job.queue, "research");
  EXPECT_EQ(one.job.time, base::Duration{129'600'000});
  ASSERT_EQ(one.job.groups.size(), 1u);
  EXPECT_EQ(one.job.groups[0].tasks, 2);
  EXPECT_EQ(one.job.groups[0].request.gpu, model::GpuRequest::whole(8));
  EXPECT_EQ(one.job.groups[0].request.cpu, base::CpuMilli{4000});
  EXPECT_EQ(one.job.groups[0].request.memory, base::gibibytes(8));
  EXPECT_EQ(one.job.groups[0].request.gpu_models.front(), "H100-SXM");
}

TEST(Sacct, StepsAreFoldedIntoTheirJob) {
  const auto history =
      read(kHeader + "X\n" + row("7") + "\n" + row("7.batch") + "\n" + row("7.extern") + "\n" +
           row("7.0", "CANCELLED") + "\n" + row("8.0") + "\n");
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs.size(), 1u);
  ASSERT_EQ(history->left_out.size(), 1u);
  EXPECT_EQ(history->left_out[0], (model::LeftOut{"the step's job is not in the dump", 1}));
}

TEST(Sacct, WaitingElementsOfAnArrayBecomeAJobEach) {
  const auto history = read(kHeader + "X\n" + row("7_1") + "\n" +
                            "7_[2-3,8%1]|PENDING|2026-11-30T11:00:00|Unknown|Unknown|\n");
  ASSERT_TRUE(history) << history.error().message;
  std::vector<std::string> ids;
  for (const HistoricJob& one : history->jobs) {
    ids.push_back(one.id);
    EXPECT_EQ(one.number, 7);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"7_1", "7_2", "7_3", "7_8"}));
  EXPECT_EQ(history->jobs[3].element, 8);
  EXPECT_EQ(history->jobs[3].outcome, Outcome::kWaiting);
}

TEST(Sacct, PartsOfAHeterogeneousJobBecomeGroups) {
  const auto history = read(kHeader + "ReqTRES\n" + row("7+0") + "cpu=4,node=1\n" + row("7+1") +
                            "cpu=8,node=2,gres/gpu=16\n");
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->jobs.size(), 1u);
  EXPECT_EQ(history->jobs[0].id, "7");
  ASSERT_EQ(history->jobs[0].job.groups.size(), 2u);
  EXPECT_EQ(history->jobs[0].job.groups[1].name, "part1");
  EXPECT_EQ(model::gpus_of(history->jobs[0].job), 16);
}

TEST(Sacct, AttemptsOfARequeuedJobAreOneJobThatRestarted) {
  const auto history = read(
      "JobID|State|Submit|Start|End\n"
      "7|PREEMPTED|2026-11-30T11:00:00|2026-11-30T11:00:10|2026-11-30T11:01:10\n"
      "7|COMPLETED|2026-11-30T11:01:10|2026-11-30T11:02:00|2026-11-30T11:05:00\n"
      "7|COMPLETED|2026-11-30T11:01:10|2026-11-30T11:02:00|2026-11-30T11:05:00\n");
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->jobs.size(), 1u);
  const HistoricJob& one = history->jobs[0];
  EXPECT_EQ(one.restarts, 1);
  EXPECT_EQ(one.outcome, Outcome::kCompleted);
  EXPECT_EQ(one.run, base::Duration{180'000});
  EXPECT_EQ(base::between(one.submit, one.start), base::Duration{120'000});
  EXPECT_EQ(history->rows_left_out(), 1);  // the row that stands there twice
}

// Found by fuzzing: a start before the submission has to be told in our own form, too.
TEST(Sacct, AStartBeforeTheSubmissionMovesTheSubmission) {
  const auto history = read(kHeader +
                            "X\n7|COMPLETED|2026-11-30T12:00:00|2026-11-30T11:00:00|"
                            "2026-11-30T12:00:00|\n");
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs[0].submit, history->jobs[0].start);
  const std::string note = "submitted after the start, so taken as submitted at the start: 1 job";
  EXPECT_NE(std::find(history->notes.begin(), history->notes.end(), note), history->notes.end());
}

TEST(Sacct, FieldsMayHaveLineBreaks) {
  const auto history = read(
      "JobID|JobName|State|Submit|Elapsed|SubmitLine\n"
      "7|two\nlines|FAILED|2026-11-30T11:00:00|00:01:00|sbatch\n  -d x\n"
      "8|one|FAILED|2026-11-30T11:00:00|00:01:00|sbatch -d afterok:7 x\n");
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->jobs.size(), 2u);
  EXPECT_EQ(history->jobs[0].job.name, "two lines");
  EXPECT_EQ(history->jobs[1].job.after,
            (std::vector{model::Dependency{model::Dependency::Kind::kOk, 7}}));
}

TEST(Sacct, OtherSeparatorsAreSeenInTheFirstLine) {
  const auto history = read(
      "JobID|#State|#Submit|#Elapsed|#JobName\n"
      "7|#FAILED|#2026-11-30T11:00:00|#00:01:00|#a|b\n");
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs[0].job.name, "a|b");
}

TEST(Sacct, BytesThatAreNotTextAreShownAsQuestionMarks) {
  const auto history = read(
      "JobID|State|Submit|Elapsed|JobName\n"
      "7|FAILED|2026-11-30T11:00:00|00:01:00|caf\xe9\n");
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs[0].job.name, "caf?");
}

TEST(Sacct, TimeZoneMovesBareTimes) {
  const auto history = read(kHeader + "X\n" + row("7") + "\n", {.time_zone = "+02:00"});
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs[0].submit.value() / 1000 % 86'400, 9 * 3600);
  EXPECT_EQ(error_of("JobID\n", {.time_zone = "Mars/Olympus"}).substr(0, 24),
            "time zone Mars/Olympus: ");
}

TEST(Sacct, ADumpThatIsCutIsAnError) {
  const std::string good = kHeader + "X\n" + row("7") + "\n";
  EXPECT_EQ(error_of(good + "8|COMPL"),
            "dump.txt:3: the file ends in the middle of a line (no newline at the end)");
  EXPECT_EQ(error_of(good + row("8")),
            "dump.txt:3: the file ends in the middle of a line (no newline at the end)");
  EXPECT_EQ(error_of(good + "8|COMPLETED|x\n" + row("9") + "\n"),
            "dump.txt:3: the row has 3 fields, the header has 6");
  const auto history = read(good + "8|COMPLETED|x\n" + row("9") + "\n8|", {.strictness = {true}});
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs.size(), 2u);
  EXPECT_EQ(history->rows_left_out(), 2);
}

TEST(Sacct, TwoClustersInOneDumpAreAnError) {
  const std::string text = kHeader + "Cluster\n" + row("7") + "east\n" + row("7") + "west\n";
  EXPECT_EQ(
      error_of(text),
      "dump.txt:3: Cluster: west is a second cluster in one dump (first east, in dump.txt:2); "
      "choose one with --cluster");
  const auto west = read(text, {.cluster = "west"});
  ASSERT_TRUE(west) << west.error().message;
  EXPECT_EQ(west->jobs.size(), 1u);
  EXPECT_EQ(west->rows_left_out(), 1);
  const auto first = read(text, {.strictness = {true}});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->cluster, "east");
  EXPECT_EQ(first->rows_left_out(), 1);
}

TEST(Sacct, BadValuesNameColumnAndWhatIsAllowed) {
  EXPECT_EQ(error_of(kHeader + "X\n7|DONE|2026-11-30T11:00:00|Unknown|Unknown|\n").substr(0, 47),
            "dump.txt:2: State: DONE is not a state of a job");
  EXPECT_EQ(error_of(kHeader + "X\n7|COMPLETED|2026-11-30T11:00:00|2026-11-30T12:00:00|"
                               "2026-11-30T11:30:00|\n"),
            "dump.txt:2: job 7: End: it ends before it starts");
  EXPECT_EQ(
      error_of(kHeader + "X\n7|COMPLETED|yesterday|Unknown|Unknown|\n"),
      "dump.txt:2: Submit: yesterday is not a time (such as 2026-11-30T12:00:00, or Unknown)");
  EXPECT_EQ(error_of(kHeader + "X\n7|COMPLETED|Unknown|Unknown|Unknown|\n"),
            "dump.txt:2: job 7: Submit: the time is not known, so it cannot be replayed");
  EXPECT_EQ(error_of(kHeader + "X\nseven|COMPLETED|x|x|x|\n"),
            "dump.txt:2: JobID: seven is not a job's id (such as 123, 123_4, 123_[1-9%2], 123+1 or "
            "123.batch)");
  EXPECT_EQ(error_of("JobID|State|End\n7|COMPLETED|x\n"),
            "dump.txt:1: column Submit is missing: without it no job can be replayed");
  EXPECT_EQ(error_of("JobID|State|Submit|Start\n"),
            "dump.txt:1: how long a job ran is missing (column Elapsed, or Start and End)");
  EXPECT_EQ(error_of(kHeader + "ReqTRES\n" + row("7") + "cpu\n"),
            "dump.txt:2: ReqTRES: cpu is not a resource (such as cpu=4 or gres/gpu:h100=8)");
}

// An element that stands in its array's row and in one of its own, or twice in a list, is one job.
TEST(Sacct, ElementToldTwiceIsOneJob) {
  const auto history = read(kHeader + "\n7_[1-3,2]|PENDING|2026-11-30T11:00:00|Unknown|Unknown|\n" +
                            row("7_2") + "\n");
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->jobs.size(), 3u);
  for (const HistoricJob& one : history->jobs) {
    EXPECT_EQ(one.outcome, one.id == "7_2" ? Outcome::kCompleted : Outcome::kWaiting) << one.id;
  }
}

}  // namespace
}  // namespace headroom::formats
