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

History waiting(const std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>& jobs) {
  History history;
  for (const auto& [number, after] : jobs) {
    HistoricJob& one = history.jobs.emplace_back();
    one.number = number;
    for (const std::int64_t other : after) one.job.after.push_back({.job = other});
  }
  return history;
}

TEST(History, CirclesOfDependenciesAreFound) {
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(dependency_cycle(waiting({{1, {}}, {2, {1}}, {3, {1, 2}}, {4, {3, 99}}})), Numbers{});
  EXPECT_EQ(dependency_cycle(waiting({{1, {1}}})), Numbers{1});
  EXPECT_EQ(dependency_cycle(waiting({{1, {2}}, {2, {3, 4}}, {4, {2}}, {3, {}}})), (Numbers{2, 4}));
  // Two elements of one array, of which one waits for a job that waits for the array.
  EXPECT_EQ(dependency_cycle(waiting({{5, {}}, {5, {6}}, {6, {5}}})), (Numbers{5, 6}));
}

TEST(History, CirclesCanBeOpened) {
  History history = waiting({{1, {2}}, {2, {1}}, {3, {3}}, {4, {1}}});
  EXPECT_EQ(drop_dependency_circles(history), 2);
  EXPECT_TRUE(dependency_cycle(history).empty());
  EXPECT_EQ(history.jobs[3].job.after.size(), 1u);
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
