#include "formats/own_history.h"

#include "formats/history.h"

namespace headroom::formats {
namespace {

using model::HistoricJob;
using model::History;
using model::Outcome;

// A job with a value in every member that the form can tell.
HistoricJob full_job() {
  HistoricJob one;
  one.id = "4711_3";
  one.number = 4711;
  one.element = 3;
  one.submit = base::Time{1'796'038'857'250};
  one.eligible = one.submit + base::Duration{1000};
  one.start = one.submit + base::Duration{2000};
  one.end = one.start + base::Duration{7'200'001};
  one.run = base::Duration{7'200'001};
  one.outcome = Outcome::kOutOfMemory;
  one.nodes = 2;
  one.node_names = "n[1-2],m7";
  one.restarts = 1;
  one.account = "research";
  one.partition = "gpu";
  one.qos = "high";
  one.job.job = "train";
  one.job.name = "train \"it\", twice";
  one.job.queue = "research/vision";
  one.job.user = "ana";
  one.job.kind = model::JobKind::kTraining;
  one.job.groups = {
      {.name = "launcher", .tasks = 1, .request = {.cpu = base::CpuMilli{4000}}},
      {.name = "worker", .tasks = 2, .request = {.gpu = model::GpuRequest::whole(8)}}};
  one.job.groups[1].request.gpu_models = {"H100-SXM"};
  one.job.priority = -5;
  one.job.after = {{.kind = model::Dependency::Kind::kAny, .job = 17},
                   {.kind = model::Dependency::Kind::kOk, .job = 18}};
  one.job.time = base::Duration{172'800'000};
  one.job.checkpoint = model::CheckpointSpec{.every = base::Duration{1'800'000}};
  one.job.run = "line one\nline two | \"quoted\"";
  one.job.env = {{"A", "1"}, {"B", "x,y"}};
  return one;
}

History history_of(std::vector<HistoricJob> jobs) {
  History history;
  history.format = "headroom";
  history.jobs = std::move(jobs);
  return history;
}

std::vector<HistoricJob> two_jobs() {
  HistoricJob plain;
  plain.id = "17";
  plain.job.job = "j";
  plain.submit = base::Time{1'800'000'000'000};
  plain.job.groups[0].request.gpu = model::GpuRequest::fraction(base::GpuMilli{250});
  return {full_job(), plain};
}

TEST(OwnHistory, EveryFormThatIsWrittenIsReadAgain) {
  const History history = history_of(two_jobs());
  for (const std::string& text :
       {write_history_csv(history), write_history_jsonl(history), write_history_yaml(history)}) {
    const auto again = read_history_text("again", text, HistoryFormat::kAuto, {});
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    EXPECT_EQ(again->jobs, history.jobs) << text;
  }
}

TEST(OwnHistory, NoJobAtAllIsWrittenAndReadAgain) {
  const auto again =
      read_history_csv("again", write_history_csv(history_of({})), known_products(), {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->jobs.empty());
}

// What a person writes: the id is the position, the number follows from it, the run from the times.
TEST(OwnHistory, OnlyTheSubmissionMustBeThere) {
  const std::string text =
      "submit,gpus,start,end\n"
      "2026-11-30T12:00:00Z,8,2026-11-30T12:01:00Z,2026-11-30T13:01:00+00:00\n";
  const auto history = read_history_text("h.csv", text, HistoryFormat::kAuto, {});
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->jobs.size(), 1u);
  EXPECT_EQ(history->jobs[0].id, "1");
  EXPECT_EQ(history->jobs[0].number, 1);
  EXPECT_EQ(history->jobs[0].job.job, "1");
  EXPECT_EQ(history->jobs[0].run, base::Duration{3'600'000});
  EXPECT_EQ(model::gpus_of(history->jobs[0].job), 8);
}

std::string csv_error(const std::string& text) {
  const auto history = read_history_csv("h.csv", text, known_products(), {});
  return history ? "read" : history.error().message;
}

TEST(OwnHistory, ErrorsNameThePlaceAndWhatIsAllowed) {
  EXPECT_EQ(csv_error("submit\n-5\n"),
            "h.csv:2: submit: -5 is not a time (such as 2026-11-30 or 2026-11-30T12:00:00Z)");
  EXPECT_EQ(csv_error("submit,start,end\n2026-11-30,2026-11-30T02:00Z,2026-11-30T01:00Z\n"),
            "h.csv:2: end: it ends before it starts");
  EXPECT_EQ(csv_error("submit,ran\n2026-11-30,-1h\n"),
            "h.csv:2: ran: -1h is not a duration (such as 30min, 48h, 1-12:00:00 or 12:00:00)");
  EXPECT_EQ(
      csv_error("submit,outcome\n2026-11-30,complete\n"),
      "h.csv:2: outcome: complete is not completed, failed, cancelled, timed_out, node_failed, "
      "preempted, out_of_memory, rejected, running, waiting or held; did you mean completed?");
  EXPECT_EQ(csv_error("submit,gpus,cpus\n2026-11-30,99,-1\n"),
            "h.csv:2: gpus: 99 is not in 0..16 (and 1 more)");
  EXPECT_EQ(csv_error("submit,gpu\n"), "h.csv:1: unknown column gpu (did you mean gpus?)");
  EXPECT_EQ(csv_error("id\n1\n"), "h.csv:1: column submit is missing");
  EXPECT_EQ(csv_error("submit\n2026-11-30"),
            "h.csv:2: the file ends in the middle of a line (no newline at the end)");
  EXPECT_EQ(csv_error("id,submit\n1,2026-11-30\n1,2026-11-30\n"), "h.csv: id: 1 is there twice");
  EXPECT_EQ(csv_error("id,submit,after\n1,2026-11-30,ok:2\n2,2026-11-30,any:1\n"),
            "h.csv: after: jobs wait for each other in a circle: 1, 2, 1");
  EXPECT_EQ(csv_error("submit,more\n2026-11-30,{\n"),
            "h.csv:2: more: h.csv:2: the file ends in the middle of a value");
}

TEST(OwnHistory, LenientCountsBadRows) {
  const auto history =
      read_history_csv("h.csv", "submit\nnever\n2026-11-30\n", known_products(), {.lenient = true});
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs.size(), 1u);
  EXPECT_EQ(history->rows_left_out(), 1);
}

TEST(OwnHistory, JsonLinesAreCheckedLineByLine) {
  const auto error = [](const std::string& text) {
    const auto history = read_history_jsonl("h.jsonl", text, known_products(), {});
    return history ? "read" : history.error().message;
  };
  EXPECT_EQ(error("{\"submit\": \"2026-11-30\"}\n\n{\"submit\": \"2026-11-30\", \"gpus\": 99}\n"),
            "h.jsonl:3: gpus: 99 is not in 0..16");
  EXPECT_EQ(error("{\"submit\": \"2026-11-30\"}\n{\"submit\""),
            "h.jsonl:2: the file ends in the middle of a line (no newline at the end)");
  EXPECT_EQ(error("{\"submit\": \"2026-11-30\", \"submit\": 1}\n"),
            "h.jsonl:1: submit is there twice");
}

}  // namespace
}  // namespace headroom::formats
