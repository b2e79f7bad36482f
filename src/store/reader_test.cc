// Lists: filters, orders, pages.
#include "store/reader.h"

#include <algorithm>

#include "store/sqlite_store.h"
#include "store/store_contract_test.h"
#include "store/temporary_folder_test.h"

namespace headroom::store {
namespace {

// 60 jobs and an array of 7; a third of them over.
class ReaderTest : public testing::Test {
 protected:
  ReaderTest() {
    store_ = std::move(*open_sqlite_store(folder_.path()));
    Batch batch = first_batch();
    EXPECT_TRUE(store_->commit(batch));
    Batch records;
    const auto add = [&](std::variant<model::Event, model::Decision> what) {
      const std::uint64_t sequence = records.records.size() + 1;
      records.records.push_back({sequence, base::Time{static_cast<std::int64_t>(sequence)}, what});
    };
    for (std::int64_t number = 1; number <= 60; ++number) {
      model::Job job{.job = "job-" + std::to_string(number % 7),
                     .queue = kQueues[number % 4],
                     .user = number % 3 == 0 ? "ben" : "ana",
                     .priority = number % 5};
      if (number == 60) job.array = model::ArraySpec{0, 6};
      add(model::Event{model::JobSubmitted{{number, -1}, job, {}, {}}});
      if (number % 3 == 1) add(model::Event{model::JobCancelled{{number, -1}, "ana"}});
    }
    EXPECT_TRUE(store_->commit(records));
    reader_ = std::move(*Reader::open(folder_.path()));
  }

  // All pages of `limit` rows are the list at once.
  void expect_pages(JobQuery query) {
    query.limit = 1000;
    const auto whole = reader_->jobs(query);
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_TRUE(whole->more.empty());
    for (const std::int64_t limit : {1, 7, 66}) {
      query.limit = limit;
      query.more.clear();
      std::vector<JobRow> rows;
      do {
        const auto page = reader_->jobs(query);
        ASSERT_TRUE(page) << page.error().message;
        EXPECT_LE(page->jobs.size(), static_cast<std::size_t>(limit));
        rows.insert(rows.end(), page->jobs.begin(), page->jobs.end());
        query.more = page->more;
      } while (!query.more.empty());
      EXPECT_TRUE(rows == whole->jobs) << "limit " << limit;
    }
  }
  std::vector<JobRow> list(JobQuery query) {
    query.limit = 1000;
    return reader_->jobs(query)->jobs;
  }

  static constexpr const char* kQueues[] = {"a", "a/x", "a-b", "b"};
  TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(ReaderTest, EveryOrderIsReadPageByPage) {
  for (int order = 0; order <= static_cast<int>(JobOrder::kEnded); ++order) {
    for (const bool descending : {false, true}) {
      expect_pages({.order = static_cast<JobOrder>(order), .descending = descending});
      expect_pages({.states = final_states(),
                    .user = "ana",
                    .order = static_cast<JobOrder>(order),
                    .descending = descending});
    }
  }
}

TEST_F(ReaderTest, OrdersAreOrders) {
  const auto rows = list({.order = JobOrder::kPriority, .descending = true});
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(), [](const JobRow& a, const JobRow& b) {
    return std::pair(a.priority, a.id) > std::pair(b.priority, b.id);
  }));
  const auto names = list({.order = JobOrder::kName});
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end(), [](const JobRow& a, const JobRow& b) {
    return std::pair(a.name, a.id) < std::pair(b.name, b.id);
  }));
}

TEST_F(ReaderTest, FiltersLeaveWhatTheySay) {
  const auto all = list({});
  ASSERT_EQ(all.size(), 66U);
  const auto expect = [&](const JobQuery& query, auto&& suits) {
    std::vector<JobRow> wanted;
    std::copy_if(all.begin(), all.end(), std::back_inserter(wanted), suits);
    EXPECT_FALSE(wanted.empty());
    EXPECT_TRUE(list(query) == wanted);
  };
  expect({.states = live_states()}, [](const JobRow& job) { return is_live(job.state); });
  expect({.states = {JobState::kWaiting, JobState::kCancelled}},
         [](const JobRow&) { return true; });
  expect({.states = {JobState::kCancelled}, .user = "ana"},
         [](const JobRow& job) { return job.state == JobState::kCancelled && job.user == "ana"; });
  expect({.queue = "a"}, [](const JobRow& job) { return job.queue == "a" || job.queue == "a/x"; });
  expect({.name = "job-3"}, [](const JobRow& job) { return job.name == "job-3"; });
  expect({.name = "*-[34]"},
         [](const JobRow& job) { return job.name == "job-3" || job.name == "job-4"; });
  expect({.number = 60}, [](const JobRow& job) { return job.id.number == 60; });
  EXPECT_TRUE(list({.states = {JobState::kRunning}}).empty());
  EXPECT_TRUE(list({.user = "o'neil\"; DROP TABLE jobs; --"}).empty());
}

TEST_F(ReaderTest, AMarkThatIsNotOursIsRefused) {
  for (const char* mark : {"x", "zz", "00", "0000", "ff", "00ff00ff00"}) {
    const auto page = reader_->jobs({.more = mark});
    ASSERT_FALSE(page) << mark;
    EXPECT_EQ(page.error().message,
              "continue: '" + std::string(mark) + "' is not what a list gave");
  }
  const std::string mark = reader_->jobs({.limit = 2})->more;
  EXPECT_FALSE(reader_->jobs({.descending = true, .more = mark}));
  EXPECT_TRUE(reader_->jobs({.more = mark}));
}

TEST_F(ReaderTest, SeesACommitAtOnceAndTheAuditByPages) {
  EXPECT_TRUE(reader_->audit({})->empty());
  Batch batch;
  for (std::int64_t n = 1; n <= 5; ++n) batch.audit.push_back(sample_audit(n));
  batch.tokens = {{.id = "t", .hash = "h", .user = "ana", .scopes = {"read"}}};
  ASSERT_TRUE(store_->commit(batch));
  EXPECT_EQ(*reader_->tokens(), batch.tokens);
  auto page = *reader_->audit({.limit = 2});
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0].entry, sample_audit(5));
  page = *reader_->audit({.limit = 9, .after = page[1].id});
  ASSERT_EQ(page.size(), 3U);
  EXPECT_EQ(page[2].entry, sample_audit(1));
  page = *reader_->audit({.newest_first = false, .limit = 9, .after = 2});
  EXPECT_EQ(page.front().entry, sample_audit(3));
}

TEST_F(ReaderTest, NothingThereIsSaidSo) {
  const auto nowhere = Reader::open(folder_.path() + "/no");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("unable to open"), std::string::npos);
  EXPECT_FALSE(reader_->job({99, -1})->has_value());
  EXPECT_FALSE(reader_->spec({99, -1})->has_value());
  EXPECT_TRUE(reader_->timeline({99, -1})->empty());
}

}  // namespace
}  // namespace headroom::store
