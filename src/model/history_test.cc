#include "model/history.h"

namespace headroom::model {
namespace {

TEST(History, JobsOfOneTimeStayInTheOrderOfTheSource) {
  History history;
  for (const auto& [id, submit] : {std::pair{"c", 2}, {"a", 1}, {"d", 2}, {"b", 1}}) {
    history.jobs.push_back({.id = id, .submit = base::Time{submit}});
  }
  history.sort_jobs();
  std::string order;
  for (const HistoricJob& one : history.jobs) order += one.id;
  EXPECT_EQ(order, "abcd");
}

TEST(History, AccountsAreMatchedWithTheQueuesThatEndSo) {
  const std::vector<Queue> queues{{.name = "science"},
                                  {.name = "science/vision"},
                                  {.name = "industry"},
                                  {.name = "science/other"},
                                  {.name = "industry/other"}};
  History history;
  for (const char* queue : {"vision", "science", "other", "nobody", "industry/other"}) {
    history.jobs.push_back({.id = queue, .job = {.queue = queue}});
  }
  EXPECT_EQ(match_queues(history, queues), (std::vector<std::string>{"nobody", "other"}));
  EXPECT_EQ(history.jobs[0].job.queue, "science/vision");
  EXPECT_EQ(history.jobs[1].job.queue, "science");
  EXPECT_EQ(history.jobs[2].job.queue, "other");
  EXPECT_EQ(history.jobs[4].job.queue, "industry/other");
}

TEST(History, ReasonsAreCountedAndNotesStandOnce) {
  History history;
  history.leave_out("a");
  history.leave_out("b", 2);
  history.leave_out("a");
  history.leave_out("c", 0);
  history.note("n");
  history.note("n");
  EXPECT_EQ(history.left_out, (std::vector<LeftOut>{{"a", 2}, {"b", 2}}));
  EXPECT_EQ(history.rows_left_out(), 4);
  EXPECT_EQ(history.notes.size(), 1u);
}

}  // namespace
}  // namespace headroom::model
