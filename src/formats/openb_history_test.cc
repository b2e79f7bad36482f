#include "formats/openb_history.h"

#include "formats/file.h"

namespace headroom::formats {
namespace {

using model::Outcome;

const std::string kHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_"
    "time,"
    "scheduled_time\n";

TEST(OpenbHistory, TasksRunFromSchedulingToDeletion) {
  const auto history = read_openb_history("tasks.csv",
                                          kHeader +
                                              "a,4000,1024,1,500,G2,LS,Failed,10,110,20\n"
                                              "b,4000,1024,0,0,,BE,Pending,5,50,\n",
                                          {});
  ASSERT_TRUE(history) << history.error().message;
  ASSERT_EQ(history->jobs.size(), 1u);
  const model::HistoricJob& one = history->jobs[0];
  EXPECT_EQ(one.submit, base::Time{10'000});
  EXPECT_EQ(one.run, base::Duration{90'000});
  EXPECT_EQ(one.outcome, Outcome::kFailed);
  EXPECT_EQ(one.job.kind, model::JobKind::kService);
  EXPECT_EQ(one.job.groups[0].request.gpu_models, std::vector<std::string>{"G2"});
  EXPECT_EQ(history->rows_left_out(), 1);
}

TEST(OpenbHistory, EndsBeforeStartsAreErrors) {
  const auto history =
      read_openb_history("tasks.csv", kHeader + "a,1,1,0,0,,LS,Failed,10,15,20\n", {});
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().message, "tasks.csv:2: deletion_time: 15 is not in 20..10000000000");
}

// Found by fuzzing.
TEST(OpenbHistory, LenientTakesANameOnce) {
  const auto history = read_openb_history("tasks.csv",
                                          kHeader +
                                              "a,1,1,0,0,,LS,Failed,10,25,20\n"
                                              "a,1,1,0,0,,LS,Failed,11,25,20\n",
                                          {.lenient = true});
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs.size(), 1u);
  EXPECT_EQ(history->rows_left_out(), 1);
}

TEST(OpenbHistory, TheRealListIsRead) {
  const auto text = read_file(
      std::string(HEADROOM_SOURCE_DIR) + "/data/openb/openb_pod_list_default.csv", kLargestCsv);
  ASSERT_TRUE(text) << text.error().message;
  const auto history = read_openb_history("list.csv", *text, {});
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_EQ(history->jobs.size() + static_cast<std::size_t>(history->rows_left_out()), 8152u);
}

}  // namespace
}  // namespace headroom::formats
